"""The sentences of the classroom; ``README.md`` names their sources and licences."""
