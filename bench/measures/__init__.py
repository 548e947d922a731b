"""What is measured; each answers with figures by name, which JSON can hold."""
