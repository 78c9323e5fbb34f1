"""What a report looks like in a terminal."""

import io

from rich.console import Console


def text_of(renderable, width=120):
    stream = io.StringIO()
    Console(file=stream, width=width).print(renderable)
    return stream.getvalue()
