import type { quotas as english } from "../../../../shared/sentences/quotas.ts"
import { translation } from "../../translation.ts"

export const quotas = translation<typeof english>()({
  files:
    "Ihr Limit beträgt {{most, number}} Dateien, und Sie haben {{used, number}}: Löschen Sie zuerst einige, oder bitten Sie einen Inhaber um mehr.",
  bytes:
    "Sie dürfen {{most}} speichern und haben {{used}} gespeichert, deshalb ist kein Platz für weitere {{wanted}}: Löschen Sie zuerst Dateien, oder bitten Sie einen Inhaber um mehr.",
  answers:
    "Sie haben heute {{used, number}} von {{most, number}} Antworten verbraucht. Das Limit wird um 00:00 UTC zurückgesetzt.",
  tokens:
    "Sie haben heute {{used, number}} von {{most, number}} Tokens verbraucht. Das Limit wird um 00:00 UTC zurückgesetzt.",
  workspace_files:
    "Das Limit des Arbeitsbereichs beträgt {{most, number}} Dateien, und er hat {{used, number}}: Löschen Sie zuerst einige, oder bitten Sie einen Inhaber um mehr.",
  workspace_bytes:
    "Der Arbeitsbereich darf {{most}} speichern und hat {{used}} gespeichert, deshalb ist kein Platz für weitere {{wanted}}: Löschen Sie zuerst Dateien, oder bitten Sie einen Inhaber um mehr.",
  workspace_answers:
    "Der Arbeitsbereich hat heute {{used, number}} von {{most, number}} Antworten verbraucht. Das Limit wird um 00:00 UTC zurückgesetzt.",
  workspace_tokens:
    "Der Arbeitsbereich hat heute {{used, number}} von {{most, number}} Tokens verbraucht. Das Limit wird um 00:00 UTC zurückgesetzt.",
  no_person: "Diese Person gibt es nicht.",
  no_workspace: "Diesen Arbeitsbereich gibt es nicht.",
  size: "{{size, number}} {{symbol}}",
})
