"""Processes of servers, the folders that they own, and temporary folders."""
