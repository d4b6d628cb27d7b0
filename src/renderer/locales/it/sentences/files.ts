import type { files as english } from "../../../../shared/sentences/files.ts"
import { translation } from "../../translation.ts"

export const files = translation<typeof english>()({
  changed_by_others: "Un altro programma ha appena modificato questo file. Guardalo, poi riprova.",
  changed_since: "Il file è cambiato da quando è stato letto.",
  cloud_only: "Il contenuto di questo file è solo in un’unità cloud. Prima scaricalo lì.",
  left_out: "Questa cartella esclude i file di questo tipo: vedi .casellaignore, o scegli un altro nome.",
  missing_on_drive:
    "Mancano dei file di questa cartella. Collega la sua unità, o conferma che sono stati eliminati.",
  name_not_utf8:
    "Il nome di questo file ha caratteri che non si possono leggere (non è UTF-8), quindi qui non si può modificare né eliminare. Prima rinominalo.",
  no_page: "Questa pagina non esiste.",
  no_text_yet: "Il testo non è disponibile: lo stato del file è {{status}}.",
  no_web_page: "Questo file non è la copia di una pagina web: non c’è nulla da scaricare.",
  none_such: "In questa cartella non c’è questo file.",
  not_changeable:
    "Casella non può modificare questo file. Controllane i permessi, o chiudilo negli altri programmi.",
  own_data: "{{sign}} indica dati di Casella stessa. Scegli un altro nome.",
  page_not_stored: "La pagina è stata scaricata, ma non è stato possibile salvarla. Il registro dice di più.",
  page_not_drawn: "Non è stato possibile disegnare questa pagina.",
  page_not_drawn_damaged: "Non è stato possibile disegnare questa pagina: è danneggiata o troppo complessa.",
  text_unreadable: "Il testo salvato di questo file non è leggibile. Leggi di nuovo il file.",
  too_many_named: "Qui ci sono troppi file di nome «{{name}}». Scegli un altro nome.",
  too_many_waiting: "Ci sono troppi documenti in attesa di essere letti. Riprova tra un po’.",
  viewer_ended: "Il programma che disegna le pagine si è chiuso. Riprova tra un po’.",
})
