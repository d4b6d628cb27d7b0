import type { facts as english } from "../../../../shared/sentences/facts.ts"
import { translation } from "../../translation.ts"

export const facts = translation<typeof english>()({
  too_long: "Sono stati controllati solo i primi {{count, number}} caratteri.",
  too_many: "Sono elencati solo i primi {{count, number}} importi e date.",
})
