import type { tables as english } from "../../../../shared/sentences/tables.ts"
import { translation } from "../../translation.ts"

export const tables = translation<typeof english>()({
  answer_too_large: "Una sola riga della risposta è troppo grande. Chiedi testi più brevi.",
  being_made: "Alcune tabelle di questa cartella sono ancora in preparazione. Riprova tra un minuto.",
  folder_full:
    "Le tabelle della cartella hanno troppe colonne per accogliere anche quelle di questo file. Sposta dei file in altre cartelle.",
  gone: "Le tabelle vengono create di nuovo. Riprova tra un po'.",
  only_select: "Si risponde a una sola domanda che legge (una SELECT): a nient’altro, e non a più d’una.",
  only_tables:
    "La domanda legge qualcosa che non è tra le tabelle di questa cartella. Usa soltanto i loro nomi.",
  sql_too_long: "L'SQL supera {{count}} caratteri. Accorcialo.",
  sql_wrong: "Non è possibile rispondere all'SQL: {{words}}",
  too_much_memory:
    "La domanda richiedeva più di {{count}} MB di memoria ed è stata interrotta. Chiedi meno in una volta.",
  too_slow: "La domanda ha superato {{count}} s ed è stata interrotta. Chiedi meno in una volta.",
})
