"""Pictures: charts, graphs and maps as SVG."""
