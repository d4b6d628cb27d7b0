import { z } from "zod/v4"

// The `zod` that the page imports. The page's policy forbids eval; by default zod tries it once, and the browser reports a violation. This
// must run before any schema is created.
z.config({ jitless: true })

export { z }
