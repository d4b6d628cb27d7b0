import type { quotas as english } from "../../../../shared/sentences/quotas.ts"
import { translation } from "../../translation.ts"

export const quotas = translation<typeof english>()({
  files:
    "Puoi avere {{most, number}} file e ne hai {{used, number}}: prima eliminane qualcuno, o chiedi di più a un proprietario.",
  bytes:
    "Puoi conservare {{most}} e hai {{used}}, quindi non c’è posto per altri {{wanted}}: prima elimina dei file, o chiedi di più a un proprietario.",
  answers:
    "Puoi chiedere {{most, number}} risposte al giorno e ne hai avute {{used, number}}. Si ricomincia alle 00:00 UTC.",
  tokens:
    "Puoi usare {{most, number}} token al giorno e ne hai usati {{used, number}}. Si ricomincia alle 00:00 UTC.",
  workspace_files:
    "Lo spazio di lavoro può avere {{most, number}} file e ne ha {{used, number}}: prima eliminane qualcuno, o chiedi di più a un proprietario.",
  workspace_bytes:
    "Lo spazio di lavoro può conservare {{most}} e ha {{used}}, quindi non c’è posto per altri {{wanted}}: prima elimina dei file, o chiedi di più a un proprietario.",
  workspace_answers:
    "Lo spazio di lavoro può chiedere {{most, number}} risposte al giorno e ne ha avute {{used, number}}. Si ricomincia alle 00:00 UTC.",
  workspace_tokens:
    "Lo spazio di lavoro può usare {{most, number}} token al giorno e ne ha usati {{used, number}}. Si ricomincia alle 00:00 UTC.",
  no_person: "Questa persona non c’è.",
  no_workspace: "Questo spazio di lavoro non c’è.",
})
