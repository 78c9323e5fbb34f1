"""Literals for parameters: of logged executions, or drawn from what columns hold."""
