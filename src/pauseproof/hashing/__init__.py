"""Which link a packet takes where there are several: hash functions, choice by hash, and where the entropy comes from."""
