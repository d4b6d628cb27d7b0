import type { folders as english } from "../../../../shared/sentences/folders.ts"
import { translation } from "../../translation.ts"

export const folders = translation<typeof english>()({
  attachments_not_shared: "Gli allegati di una chat non si possono condividere.",
  descriptions_need_rights:
    "Solo l’app o una chiave API con accesso completo può far descrivere le immagini da un modello.",
  directory_missing:
    "Questa cartella non si trova sul disco. Ricollega la sua unità, o rimettila al suo posto.",
  directory_replaced:
    "Al posto di questa cartella sul disco ora ce n’è un’altra. Ricollega la sua unità, o rimettila al suo posto. Se è quella giusta, riprova tra un momento. Se la cartella è in pausa, prima riprendila.",
  drive_missing:
    "L’unità di questa cartella non è collegata, oppure al suo posto ce n’è un’altra. Collegala, poi riprova tra un momento.",
  following_needs_rights:
    "Solo l’app o una chiave API con accesso completo può far seguire una cartella del computer.",
  is_file: "Questo è un file. Inserisci il percorso di una cartella.",
  left_off:
    "Questa cartella è rimasta disattivata dopo un ripristino. Prima scegli la cartella del computer da seguire.",
  no_access: "Non hai accesso a questa cartella.",
  no_directory: "Questo percorso non esiste. Controllalo, o prima crea la cartella sul disco.",
  no_passage: "Passaggio non trovato. Forse il suo documento è cambiato.",
  none_such: "Cartella non trovata. Forse è stata eliminata, o non è condivisa con te.",
  not_readable: "Casella non può leggere questa cartella sul disco. Controllane i permessi.",
  of_the_system: "Questa è una cartella di sistema. Scegline una con i tuoi documenti.",
  own_data_inside: "Questa contiene i dati di Casella. Scegli un’altra cartella.",
  owner_only: "Solo il proprietario può modificare i file di questa cartella.",
  not_followed: "Questa cartella non ne segue una del computer, quindi non ha un’altra posizione.",
  path_not_absolute: "Inserisci il percorso completo di una cartella.",
  remote_needs_rights:
    "Solo l’app o una chiave API con accesso completo può permettere ai modelli remoti di leggere una cartella che resta su questo computer.",
  too_many: "Hai già {{count, number}} cartelle, il massimo. Prima eliminane una.",
  too_many_unasked:
    "Hai {{count, number}} chat con allegati ma senza messaggi. Invia un messaggio in una di esse, o eliminane una.",
})
