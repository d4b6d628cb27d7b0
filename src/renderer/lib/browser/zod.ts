import { z } from "zod/v4"

// What parts of the page get as `zod`. Its policy forbids eval; left to itself zod tries it once and the browser reports a
// violation: so this stands before any schema.
z.config({ jitless: true })

export { z }
