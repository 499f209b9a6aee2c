"""What is asked of a report, field by field. Each module yields findings and knows nothing of the others."""
