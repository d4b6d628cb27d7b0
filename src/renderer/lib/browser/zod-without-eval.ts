import { z } from "zod"

// The page's policy forbids eval; left to itself zod tries it once and the browser reports a violation.
// Must be imported before any schema.
z.config({ jitless: true })
