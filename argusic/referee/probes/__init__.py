"""What `argusic doctor` looks at, one pure question each: what is here, what is lacking, and what mends it."""
