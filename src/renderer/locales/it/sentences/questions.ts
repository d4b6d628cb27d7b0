import type { questions as english } from "../../../../shared/sentences/questions.ts"
import { translation } from "../../translation.ts"

export const questions = translation<typeof english>()({
  answered: "È già stata data una risposta: «{{answer}}».",
  app_only: "Alle domande si risponde nell’app, non con una chiave API.",
  expired: "Nessuno ha risposto in tempo. Il mittente non aspetta più.",
  none_such: "Domanda non trovata. Forse è scaduta.",
  too_many: "{{count, number}} domande attendono già una risposta. Rispondi ad alcune, o lasciale scadere.",
  too_many_wait:
    "{{count, number}} richieste attendono già delle risposte. Lascia prima che alcune finiscano.",
})
