import type { queue as english } from "../../../../shared/sentences/queue.ts"
import { translation } from "../../translation.ts"

export const queue = translation<typeof english>()({
  full: "In diesem Chat warten schon {{count, number}} Fragen. Warten Sie, bis eine gestellt wurde, oder entfernen Sie eine.",
  key_revoked:
    "Der API-Schlüssel, mit dem das gefragt wurde, ist widerrufen. Ändern Sie die Frage, um sie selbst zu stellen.",
  none_such: "In diesem Chat wartet keine Frage mit dieser ID. Möglicherweise wurde sie schon gestellt.",
  too_much:
    "In allen Chats zusammen warten zu viele oder zu lange Fragen von Ihnen. Warten Sie, bis einige beantwortet sind, oder entfernen Sie einige.",
})
