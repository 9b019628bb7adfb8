"""The kinds of data that can be read, by the words they are asked for with."""

KINDS = (
    "text",
    "table",
    "mail",
    "sequences",
    "sets",
    "long",
    "views",
    "audio",
    "pictures",
    "tagged",
    "slashed",
)
