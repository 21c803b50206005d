"""How large messages and requests are: characters of canonical JSON, tokens by a model's tokenizer, or a counter of one's own."""
