"""TPC-DS as a user's own tables on two servers, and what the advisor makes of it."""
