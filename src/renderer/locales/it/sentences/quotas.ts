import type { quotas as english } from "../../../../shared/sentences/quotas.ts"
import { translation } from "../../translation.ts"

export const quotas = translation<typeof english>()({
  files:
    "Il tuo limite di file è {{most, number}} e ne hai {{used, number}}: prima eliminane qualcuno, o chiedi di più a un proprietario.",
  bytes:
    "Puoi conservare {{most}} e hai {{used}}, quindi non c’è posto per altri {{wanted}}: prima elimina dei file, o chiedi di più a un proprietario.",
  answers:
    "Il tuo limite di risposte al giorno è {{most, number}} e ne hai avute {{used, number}}. Si ricomincia alle 00:00 UTC.",
  tokens:
    "Il tuo limite di token al giorno è {{most, number}} e ne hai usati {{used, number}}. Si ricomincia alle 00:00 UTC.",
  workspace_files:
    "Il limite di file dello spazio di lavoro è {{most, number}} e ne ha {{used, number}}: prima eliminane qualcuno, o chiedi di più a un proprietario.",
  workspace_bytes:
    "Lo spazio di lavoro può conservare {{most}} e ha {{used}}, quindi non c’è posto per altri {{wanted}}: prima elimina dei file, o chiedi di più a un proprietario.",
  workspace_answers:
    "Il limite di risposte al giorno dello spazio di lavoro è {{most, number}} e ne ha avute {{used, number}}. Si ricomincia alle 00:00 UTC.",
  workspace_tokens:
    "Il limite di token al giorno dello spazio di lavoro è {{most, number}} e ne ha usati {{used, number}}. Si ricomincia alle 00:00 UTC.",
  no_person: "Questa persona non c’è.",
  no_workspace: "Questo spazio di lavoro non c’è.",
})
