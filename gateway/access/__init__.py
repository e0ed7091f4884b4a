"""Who may talk: decisions are pure (`snapshot`, `codes`, `pairing`, `claiming`, `rates`), effects
thin (`administration` changes what is stored, `gate` is what every event passes first)."""
