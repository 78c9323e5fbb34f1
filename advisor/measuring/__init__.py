"""A project's plans on its stores: connections, the evaluation's job, and exports of both."""
