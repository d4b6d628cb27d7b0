import type { quotas as english } from "../../../../shared/sentences/quotas.ts"
import { translation } from "../../translation.ts"

export const quotas = translation<typeof english>()({
  files:
    "Hai {{used, number}} file su {{most, number}}. Prima eliminane qualcuno, o chiedi a un proprietario un limite più alto.",
  bytes:
    "Stai usando {{used}} su {{most}}, quindi non c’è spazio per altri {{wanted}}. Prima elimina dei file, o chiedi a un proprietario un limite più alto.",
  answers:
    "Hai usato {{used, number}} risposte su {{most, number}} oggi. Il limite si azzera alle 00:00 UTC.",
  tokens: "Hai usato {{used, number}} token su {{most, number}} oggi. Il limite si azzera alle 00:00 UTC.",
  workspace_files:
    "Lo spazio di lavoro ha {{used, number}} file su {{most, number}}. Prima eliminane qualcuno, o chiedi a un proprietario un limite più alto.",
  workspace_bytes:
    "Lo spazio di lavoro sta usando {{used}} su {{most}}, quindi non c’è spazio per altri {{wanted}}. Prima elimina dei file, o chiedi a un proprietario un limite più alto.",
  workspace_answers:
    "Lo spazio di lavoro ha usato {{used, number}} risposte su {{most, number}} oggi. Il limite si azzera alle 00:00 UTC.",
  workspace_tokens:
    "Lo spazio di lavoro ha usato {{used, number}} token su {{most, number}} oggi. Il limite si azzera alle 00:00 UTC.",
  no_person: "Persona non trovata.",
  no_workspace: "Spazio di lavoro non trovato.",
  size: "{{size, number}} {{symbol}}",
})
