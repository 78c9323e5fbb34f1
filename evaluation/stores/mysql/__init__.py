"""The back end of MySQL and MariaDB, its sessions and values."""
