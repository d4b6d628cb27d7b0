import type { folders as english } from "../../../../shared/sentences/folders.ts"
import { translation } from "../../translation.ts"

export const folders = translation<typeof english>()({
  attachments_not_shared: "Gli allegati di una chat non si possono condividere.",
  directory_missing: "La cartella non è al suo posto. Collega la sua unità o ripristinala.",
  directory_replaced:
    "Al posto della cartella del computer che questa segue ce n'è un'altra. Collega la sua unità o rimettila al suo posto. Se è quella giusta, riprova tra un momento; una cartella in pausa va prima ripresa.",
  drive_missing:
    "L'unità a cui appartiene non è collegata, oppure al suo posto ce n'è un'altra. Collegala, poi riprova tra un momento.",
  following_needs_rights:
    "Per seguire una cartella del computer servono l’app o una chiave API con tutti i diritti.",
  is_file: "Questo è un file. Indica il percorso di una cartella.",
  left_off:
    "Questa cartella è rimasta disattivata dopo un ripristino. Scegli prima la cartella del computer da seguire.",
  no_access: "Non hai accesso a questa cartella.",
  no_directory: "Questa cartella non esiste. Controlla il percorso, o prima crea la cartella.",
  no_passage: "In questa cartella non c’è questo passaggio; il suo documento potrebbe essere più recente.",
  none_such: "Questa cartella non esiste.",
  not_readable: "Questa cartella non si può leggere. Controllane i permessi.",
  of_the_system: "Questa cartella appartiene al sistema. Scegline una con i tuoi documenti.",
  own_data_inside: "Casella tiene lì i propri dati. Scegli un’altra cartella.",
  owner_only: "Solo il proprietario può modificare i file di questa cartella.",
  not_followed: "Questa cartella non ne segue una del tuo computer, quindi non ha un altro posto.",
  path_not_absolute: "Indica il percorso assoluto di una cartella.",
  remote_needs_rights:
    "Perché i server leggano una cartella che resta qui serve l’app stessa o una chiave API con tutti i diritti.",
  too_many: "Hai già {{count}} cartelle. Prima eliminane una.",
  too_many_unasked:
    "Ci sono {{count}} chat con file a cui non è stato chiesto nulla. Prima fai una domanda in una di esse.",
})
