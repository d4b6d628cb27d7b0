import type { storage as english } from "../../../../shared/sentences/storage.ts"
import { translation } from "../../translation.ts"

export const storage = translation<typeof english>()({
  backup_gone: "Il backup non c’è più. Fanne uno nuovo.",
  backup_runs: "È in corso un backup. Aspetta che finisca, oppure prima fermalo.",
  checking_other: "Si sta controllando un altro backup. Prima aspetta che finisca.",
  data_damaged:
    "Una parte dei dati salvati non è più leggibile, quindi questo backup sarebbe inutile. Conserva quelli che hai, chiudi Casella, poi esegui «salvage DIRECTORY».",
  database_damaged: "Il database di questo backup è danneggiato. Scegli un altro backup.",
  directory_closed: "Casella non può scrivere in questa cartella. Scegline un’altra.",
  directory_elsewhere:
    "{{directory}} porta a un posto diverso da quando hai pianificato i backup, quindi lì non è stato scritto né eliminato niente. Controlla il motivo, poi pianificali di nuovo.",
  directory_of_data: "Lì Casella tiene i propri dati, e si perderebbero insieme. Scegli un’altra cartella.",
  directory_whole_path: "Scrivi il percorso completo della cartella.",
  files_missing:
    "Mancano i file della cartella «{{folder}}», perciò non è stato fatto alcun backup. Rimetti a posto la loro cartella sul disco, o elimina la cartella, poi ripeti il backup.",
  files_missing_in_several:
    "Mancano i file della cartella «{{folder}}» e di altre {{count}}, perciò non è stato fatto alcun backup. Rimetti a posto le loro cartelle sul disco, o elimina le cartelle, poi ripeti il backup.",
  held: "Questo viene da un backup ripristinato. Prima un proprietario lo attiva in Impostazioni › Backup.",
  held_changed: "È cambiato da quando è stato mostrato, o non c’è più. Riguarda l’elenco.",
  held_in_app_only:
    "Solo un proprietario che ha effettuato l’accesso nell’app può deciderlo, non una chiave API.",
  newer:
    "Questo backup è stato fatto da una versione più recente di Casella. Aggiorna Casella, poi ripristinalo.",
  no_backup: "Non c’è alcun backup completo da scaricare.",
  no_copy: "Questa copia non c’è più.",
  no_directory: "Questa cartella non esiste. Creala, collega il suo disco o scegline un’altra.",
  no_owner:
    "Questo backup non ha alcun proprietario che possa accedere, quindi nessuno potrebbe usarlo. Scegli un altro backup.",
  no_room: "Lo spazio libero su disco non basta per il backup.",
  no_room_to_unpack: "Lo spazio libero su disco non basta per estrarre il backup.",
  not_a_backup: "Questo non è un backup di Casella, o è danneggiato.",
  not_written: "Non è stato possibile scrivere il backup. Il registro dice perché.",
  object_damaged: "Ciò che l’archivio a oggetti ha di questo file non è quello che vi era stato messo.",
  object_gone: "L’archivio a oggetti non ha più il contenuto di questo file.",
  objects_away: "L’archivio dei file non è raggiungibile o dà errori. Riprova tra un po’.",
  objects_of_others:
    "L’archivio dei file appartiene a un’altra Casella. Rivolgiti a chi gestisce questa: il suo registro dice cosa cambiare.",
  objects_refused:
    "L’archivio dei file nega l’accesso. Rivolgiti a chi gestisce questa Casella: il suo registro dice cosa cambiare.",
  rows_on_server:
    "Le righe di Casella sono su un server di database, in cui un backup non viene rimesso. Ripristinalo in una nuova cartella dei dati, poi sposta le sue righe in un database vuoto.",
  target_exists: "{{target}} esiste già. Scegli un altro nome.",
})
