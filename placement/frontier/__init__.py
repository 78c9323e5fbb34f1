"""The frontier over latency, bytes moved, money and migration."""
