"""The database: a git repository of YAML files. Codec, paths, record cache, atomic writes."""
