import type { core as english } from "../../../../shared/sentences/core.ts"
import { translation } from "../../translation.ts"

export const core = translation<typeof english>()({
  address_not_public:
    "Questo indirizzo non è nell’internet pubblica, quindi Casella non lo apre. Un proprietario può consentire un host privato quando aggiunge una pagina web a una cartella.",
  address_with_password: "Un indirizzo non può contenere un nome utente o una password.",
  answer_too_large: "Supera {{count, number}} MB.",
  closed_in_data_directory:
    "Casella non può usare «{{place}}» nella sua cartella dei dati. Permettile di leggere e scrivere lì, poi riprova.",
  data_moved:
    "La cartella dei dati di Casella è stata spostata o sostituita mentre Casella era in esecuzione, quindi non si può salvare nulla. Rimettila al suo posto, oppure riavvia Casella con la nuova posizione.",
  database_away:
    "Il server del database non è raggiungibile. I dati salvati sono al sicuro. Riprova più tardi.",
  database_busy: "Un altro programma sta usando il database di Casella. Chiudilo, o riprova più tardi.",
  database_disk_full:
    "Il disco del server del database è pieno. Chiedi a chi lo gestisce di liberare spazio.",
  database_read_only:
    "Al momento il server del database non accetta modifiche. I dati salvati sono al sicuro. Riprova più tardi.",
  database_replaced:
    "Un file del database di Casella è stato rimosso, sostituito o sovrascritto mentre Casella era in esecuzione, quindi non si può salvare altro. Controlla nel registro che cosa è stato salvato, poi riavvia Casella.",
  database_slow: "Il database impiega troppo tempo a rispondere. Non è cambiato nulla. Riprova più tardi.",
  directory_linked:
    "Una cartella nella cartella dei dati di Casella è stata sostituita con un collegamento simbolico mentre Casella era in esecuzione, quindi non si può salvare nulla. Rimetti la cartella al suo posto. Il registro dice quale.",
  directory_on_other_drive:
    "Una cartella nella cartella dei dati di Casella si trova ora su un’altra unità, quindi non si può salvare nulla. Monta o smonta l’unità com’era prima. Se la modifica è voluta, riavvia Casella. Il registro dice quale cartella.",
  disk_full: "Il disco è pieno. Libera spazio e riprova.",
  file_gone: "Questo file non è più nella cartella.",
  local_only: "Casella lavora solo in locale, quindi non viene inviato nulla a {{host}}. {{remedy}}",
  local_only_program:
    "Casella lavora solo in locale, e questo programma potrebbe collegarsi ad altri computer. {{remedy}}",
  name_of_file: "«{{name}}» qui è il nome di un file. Scegli un’altra sottocartella.",
  no_picture_there: "A questo indirizzo non c’è alcuna immagine.",
  no_server_named: "Non è stato trovato alcun server di nome {{host}}.",
  no_text_there: "Questo indirizzo ha restituito {{type}} invece di testo leggibile.",
  not_a_directory:
    "«{{place}}» nella cartella dei dati deve essere una cartella. Sposta altrove ciò che si trova lì, poi riavvia Casella.",
  not_absolute_address: "Questo non è un indirizzo completo.",
  other_computers: "altri computer",
  owner_can_allow_programs:
    "Un proprietario può disattivarlo, o consentire questi programmi, in Impostazioni › Privacy.",
  owner_can_switch_off: "Un proprietario può disattivarlo in Impostazioni › Privacy.",
  path_absolute: "{{field}} deve essere un percorso dentro la cartella, non un percorso assoluto.",
  path_not_unicode: "{{field}} deve essere Unicode valido.",
  path_too_deep: "{{field}} non può superare {{count, number}} cartelle di profondità.",
  path_too_long: "{{field}} non può superare {{count, number}} caratteri.",
  path_with_dots: "{{field}} non può contenere «..» né nomi fatti di punti e spazi.",
  path_with_drive: "{{field}} non può contenere un’unità.",
  path_with_empty_name: "{{field}} contiene un nome senza alcun carattere utilizzabile.",
  path_with_long_name: "{{field}} contiene un nome di oltre {{count, number}} byte.",
  path_with_nul: "{{field}} non può contenere un carattere NUL.",
  path_with_own_name: "{{field}} contiene un nome riservato a Casella.",
  path_with_reserved_name: "{{field}} non può contenere il nome riservato «{{name}}».",
  path_with_separator:
    "{{field}} contiene un carattere che alcuni sistemi trattano come separatore di percorso.",
  path_without_name: "{{field}} deve finire con un nome di file.",
  picture_not_fetched: "Non è possibile scaricare l’immagine.",
  port_without_pages: "Questa porta non si usa per pagine web.",
  redirected_without_end: "Troppi reindirizzamenti.",
  secrets_damaged:
    "secrets.json nella cartella dei dati è danneggiato. Spostalo altrove, poi inserisci di nuovo le chiavi e accedi di nuovo ai servizi.",
  server_too_slow: "Il server ha impiegato più di {{count, number}} s per rispondere.",
  server_unreachable: "Il server non è raggiungibile, o non è un server web.",
  shutting_down: "Casella si sta chiudendo.",
  something_unknown: "qualcosa di sconosciuto",
  started_local_only: "È stata avviata con --local-only. Avviala senza questa opzione per cambiarlo.",
  system_refuses:
    "Il sistema operativo non permette a Casella di usare un file o una cartella che qui servono. Controlla i permessi e l’unità. Il registro dice di quale si tratta.",
  temporary_files_closed:
    "Casella non può scrivere file temporanei. Permettile di scrivere in tmp nella sua cartella dei dati, poi riprova.",
  too_many_open_files: "Su questo computer sono aperti troppi file. Riprova più tardi.",
  too_much_waiting: "Troppe richieste sono già in attesa. Riprova più tardi.",
  web_addresses_only: "Sono supportati solo indirizzi http e https.",
  stopping: "Casella si sta chiudendo. Riprova quando è in funzione.",
})
