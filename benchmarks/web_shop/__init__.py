"""A shop in two servers whose tables, types and names are as awkward as real ones."""
