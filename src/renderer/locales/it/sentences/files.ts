import type { files as english } from "../../../../shared/sentences/files.ts"
import { translation } from "../../translation.ts"

export const files = translation<typeof english>()({
  changed_by_others: "Un altro programma ha appena modificato questo file. Controllalo, poi riprova.",
  changed_since: "Il file è cambiato da quando l’hai aperto.",
  cloud_only: "Questo file è solo in un’unità cloud. Prima scaricalo su questo computer.",
  left_out:
    "Questa cartella esclude i file di questo tipo. Controlla .casellaignore, o scegli un altro nome.",
  missing_on_drive:
    "Sul disco mancano dei file di questa cartella. Ricollega l’unità, o conferma che sono stati eliminati.",
  name_not_utf8:
    "Il nome di questo file contiene caratteri che non si possono leggere (non è UTF-8), quindi qui non si può modificare né eliminare. Prima rinominalo.",
  no_page: "Pagina non trovata.",
  no_text_yet: "Il testo non è disponibile: lo stato del file è {{status}}.",
  no_web_page: "Questo file non è la copia di una pagina web, quindi non si può aggiornare.",
  none_such: "File non trovato. Forse è stato spostato o eliminato.",
  not_changeable:
    "Casella non può modificare questo file. Controllane i permessi, o chiudilo negli altri programmi.",
  own_data: "{{sign}} è riservato ai dati di Casella. Scegli un altro nome.",
  page_not_stored:
    "La pagina è stata scaricata, ma non è stato possibile salvarla. I dettagli sono nel registro.",
  page_not_drawn: "Non è stato possibile mostrare questa pagina.",
  page_not_drawn_damaged: "Non è stato possibile mostrare questa pagina. È danneggiata o troppo complessa.",
  text_unreadable: "Il testo salvato di questo file non è leggibile. Indicizza di nuovo il file.",
  too_many_named: "Qui ci sono troppi file di nome «{{name}}». Scegli un altro nome.",
  too_many_waiting: "Troppi documenti attendono di essere letti. Riprova più tardi.",
  viewer_ended: "Il processo che mostra le pagine si è chiuso. Riprova.",
})
