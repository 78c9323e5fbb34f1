"""Why a problem has no placement: the fewest limits that conflict."""
