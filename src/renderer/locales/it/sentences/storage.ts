import type { storage as english } from "../../../../shared/sentences/storage.ts"
import { translation } from "../../translation.ts"

export const storage = translation<typeof english>()({
  backup_gone: "Il backup non esiste più. Creane uno nuovo.",
  backup_runs: "È in corso un backup. Aspetta che finisca, oppure prima interrompilo.",
  checking_other: "È in corso il controllo di un altro backup. Aspetta che finisca.",
  data_damaged:
    "Alcuni dati salvati sono danneggiati, quindi questo backup sarebbe inutile. Conserva i backup che hai, ferma Casella, poi esegui «box salvage CARTELLA».",
  database_damaged: "Il database di questo backup è danneggiato. Scegli un altro backup.",
  directory_closed: "Casella non può scrivere in questa cartella. Scegline un’altra.",
  directory_elsewhere:
    "{{directory}} ora porta a una posizione diversa da quando hai pianificato i backup, quindi lì non è stato scritto né eliminato nulla. Controlla il motivo, poi salva di nuovo la pianificazione.",
  directory_of_data:
    "Questa cartella contiene i dati di Casella, quindi si perderebbero insieme. Scegli un’altra cartella.",
  directory_whole_path: "Inserisci il percorso completo della cartella.",
  files_missing:
    "Mancano i file della cartella «{{folder}}», quindi non è stato creato alcun backup. Rimettili al loro posto, o elimina la cartella, poi crea di nuovo il backup.",
  files_missing_in_several:
    "Mancano i file della cartella «{{folder}}» e di altre {{count, number}}, quindi non è stato creato alcun backup. Rimettili al loro posto, o elimina le cartelle, poi crea di nuovo il backup.",
  held: "Questo viene da un backup ripristinato. Prima un proprietario deve attivarlo in Impostazioni › Backup.",
  held_changed: "È cambiato o non esiste più. Controlla di nuovo l’elenco.",
  held_in_app_only:
    "Solo un proprietario che ha effettuato l’accesso nell’app può deciderlo, non una chiave API.",
  newer:
    "Questo backup è stato creato da una versione più recente di Casella. Aggiorna Casella, poi ripristinalo.",
  no_backup: "Non c’è alcun backup completo da scaricare.",
  no_copy: "Questa copia non c’è più.",
  no_directory: "Questa cartella non esiste. Creala, collega il suo disco o scegline un’altra.",
  no_owner:
    "Questo backup non ha alcun proprietario che possa accedere, quindi nessuno potrebbe usarlo. Scegli un altro backup.",
  no_room: "Lo spazio libero su disco non basta per il backup.",
  no_room_to_unpack: "Lo spazio libero su disco non basta per estrarre il backup.",
  not_a_backup: "Questo non è un backup di Casella, o è danneggiato.",
  not_written: "Non è stato possibile scrivere il backup. I dettagli sono nel registro.",
  object_damaged:
    "Il contenuto di questo file nell’archivio a oggetti non è quello che vi era stato salvato.",
  object_gone: "Il contenuto di questo file manca nell’archivio a oggetti.",
  objects_away: "L’archivio a oggetti non è raggiungibile o restituisce errori. Riprova più tardi.",
  objects_of_others:
    "L’archivio a oggetti appartiene a un’altra Casella. Rivolgiti a chi gestisce questa. Il registro dice che cosa cambiare.",
  objects_refused:
    "L’archivio a oggetti nega l’accesso. Rivolgiti a chi gestisce questa Casella. Il registro dice che cosa cambiare.",
  rows_on_server:
    "I dati di Casella sono su un server di database, in cui non si può ripristinare un backup. Ripristinalo in una nuova cartella dei dati, poi sposta i suoi dati in un database vuoto.",
  target_exists: "{{target}} esiste già. Scegli un altro nome.",
})
