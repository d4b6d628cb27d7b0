import type { tables as english } from "../../../../shared/sentences/tables.ts"
import { translation } from "../../translation.ts"

export const tables = translation<typeof english>()({
  answer_too_large: "Una singola riga del risultato è troppo grande. Seleziona testi più brevi.",
  being_made: "Le tabelle di questa cartella sono ancora in preparazione. Riprova tra un minuto.",
  folder_full:
    "Le tabelle della cartella hanno già troppe colonne per aggiungere quelle di questo file. Sposta dei file in altre cartelle.",
  gone: "Le tabelle vengono create di nuovo. Riprova più tardi.",
  only_select: "È consentita una sola istruzione SELECT.",
  only_tables:
    "La query legge qualcosa che non è tra le tabelle di questa cartella. Usa soltanto i loro nomi.",
  sql_too_long: "L’SQL supera {{count, number}} caratteri. Accorcialo.",
  sql_wrong: "L’SQL non si può eseguire: {{words}}",
  too_much_memory:
    "La query richiedeva più di {{count, number}} MB di memoria, quindi è stata interrotta. Chiedi meno in una volta.",
  too_slow: "La query ha superato {{count, number}} s, quindi è stata interrotta. Chiedi meno in una volta.",
})
