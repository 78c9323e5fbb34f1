"""Why a plan is as it is: alternatives, what-if, and how wrong a rate may be."""
