"""Parts that all reports share: figures, tables, the page, the setting."""
