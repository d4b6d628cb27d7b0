import type { questions as english } from "../../../../shared/sentences/questions.ts"
import { translation } from "../../translation.ts"

export const questions = translation<typeof english>()({
  answered: "Ha già una risposta: «{{answer}}».",
  app_only: "Alle domande si risponde nell’app, non con una chiave API.",
  expired: "Nessuno ha risposto in tempo. Chi ha chiesto non aspetta più.",
  none_such: "Questa domanda non esiste.",
  too_many: "{{count}} domande aspettano già una risposta. Rispondi ad alcune, o lasciale scadere.",
  too_many_wait: "{{count}} richieste aspettano già delle risposte. Lascia prima che alcune finiscano.",
})
