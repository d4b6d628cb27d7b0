import type { questions as english } from "../../../../shared/sentences/questions.ts"
import { translation } from "../../translation.ts"

export const questions = translation<typeof english>()({
  answered: "Die Frage wurde schon beantwortet: „{{answer}}“.",
  app_only: "Fragen werden in der App beantwortet, nicht mit einem API-Schlüssel.",
  expired: "Niemand hat rechtzeitig geantwortet. Auf die Antwort wird nicht mehr gewartet.",
  none_such: "Diese Frage gibt es nicht.",
  too_many:
    "Es warten schon {{count, number}} Fragen auf eine Antwort. Beantworten Sie einige, oder lassen Sie sie ablaufen.",
  too_many_wait: "Es warten schon {{count, number}} Anfragen auf Antworten. Lassen Sie zuerst einige enden.",
})
