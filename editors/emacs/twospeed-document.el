;;; twospeed-document.el --- Synchronize buffers with the server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Changes of a buffer are recorded as they happen.  They are sent when Emacs
;; next waits for input, or before any other message about the buffer, with
;; one version for all of them.
;;
;; If the modification hooks do not describe a change completely (inhibited
;; hooks, an indirect buffer, a carriage return), the whole text is sent.
;; `buffer-chars-modified-tick' shows that there was such a change.
;;
;; Versions are unique in an Emacs session.  So an edit for a buffer before it
;; was read from disk again never matches a later version.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'url-parse)
(require 'url-util)
(require 'twospeed-text)

(defvar twospeed-document--last-version 0
  "The last version of any document.")

(defvar-local twospeed-document--send nil
  "Function that sends a method with params; nil if the buffer is not open.")

(defvar-local twospeed-document-uri nil
  "The URI under which the buffer is open at the server.")

(defvar-local twospeed-document--version nil
  "The last version that was sent.")

(defvar-local twospeed-document--changes nil
  "Changes to send, newest first, or t to send the whole text.")

(defvar-local twospeed-document--sent nil
  "Changes by version: conses of a version and its changes, newest first.")

(defvar-local twospeed-document--tick nil
  "The `buffer-chars-modified-tick' after the last recorded change.")

(defvar-local twospeed-document--mixed nil
  "Whether the buffer may hold a carriage return.")

(defvar-local twospeed-document--before nil
  "The announced change: its start, end and LSP range.")

(defvar-local twospeed-document--timer nil
  "Timer that sends the changes.")

(defconst twospeed-document--versions-kept 100
  "Number of versions whose positions can be mapped to the current text.")

;;; Opening and closing

(defun twospeed-document-obstacle ()
  "Return why the buffer cannot be opened on the server, nil if it can."
  (cond
   ((not buffer-file-name) "it visits no file")
   ((file-remote-p buffer-file-name) "its file is on another machine")
   ((or (not enable-multibyte-characters) (not (twospeed-text-fit-p)))
    "it contains bytes that are not text")))

(defun twospeed-document--text ()
  "Return the whole text of the buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun twospeed-document-file-uri (file)
  "Return the URI of FILE."
  (concat "file://"
          (if (eq system-type 'windows-nt) "/" "")
          (url-hexify-string (encode-coding-string (expand-file-name file) 'utf-8-unix)
                             (cons ?/ (cons ?: url-unreserved-chars)))))

(defun twospeed-document-file (uri)
  "Return the file name of URI, or nil if it is not a file URI."
  (let ((parsed (url-generic-parse-url uri)))
    (when (equal (url-type parsed) "file")
      (let ((path (decode-coding-string (url-unhex-string (url-filename parsed)) 'utf-8)))
        (if (eq system-type 'windows-nt) (string-remove-prefix "/" path) path)))))

(defconst twospeed-document--language-ids
  '((c++ . "cpp") (js . "javascript") (js2 . "javascript") (js3 . "javascript")
    (js-jsx . "javascriptreact") (rjsx . "javascriptreact") (tsx . "typescriptreact")
    (sh . "shellscript") (bash . "shellscript") (mhtml . "html") (nxml . "xml")
    (makefile-gmake . "makefile") (makefile-bsdmake . "makefile") (conf-toml . "toml")
    (emacs-lisp . "elisp") (lisp-interaction . "elisp") (latex . "latex")
    (text . "plaintext") (fundamental . "plaintext"))
  "LSP's language ids of modes with other names.")

(defun twospeed-document--language-id ()
  "Return LSP's language id of the buffer."
  (let ((mode (replace-regexp-in-string "\\(-ts\\)?-mode\\'" "" (symbol-name major-mode))))
    (or (alist-get (intern mode) twospeed-document--language-ids)
        (and buffer-file-name (string-suffix-p ".tsx" buffer-file-name) "typescriptreact")
        (and buffer-file-name (string-suffix-p ".jsx" buffer-file-name) "javascriptreact")
        mode)))

(defun twospeed-document-open (send)
  "Open the buffer on a server.
SEND takes a method and params, and sends them."
  (setq twospeed-document--send send
        twospeed-document-uri (twospeed-document-file-uri buffer-file-name)
        twospeed-document--changes nil
        twospeed-document--sent nil
        twospeed-document--before nil
        twospeed-document--tick (buffer-chars-modified-tick)
        twospeed-document--mixed (twospeed-text-mixed-p))
  (add-hook 'before-change-functions #'twospeed-document--before-change 95 t)
  (add-hook 'after-change-functions #'twospeed-document--after-change -95 t)
  (funcall send 'textDocument/didOpen
           (list :textDocument
                 (list :uri twospeed-document-uri
                       :languageId (twospeed-document--language-id)
                       :version (twospeed-document--new-version)
                       :text (twospeed-document--text)))))

(defun twospeed-document-close ()
  "Close the buffer on the server."
  (when twospeed-document--send
    (let ((send twospeed-document--send)
          (params (list :textDocument (list :uri twospeed-document-uri))))
      (twospeed-document-forget)
      (funcall send 'textDocument/didClose params))))

(defun twospeed-document-forget ()
  "Stop the synchronization of the buffer without a message to the server."
  (remove-hook 'before-change-functions #'twospeed-document--before-change t)
  (remove-hook 'after-change-functions #'twospeed-document--after-change t)
  (when (and twospeed-document--timer
             (not (buffer-base-buffer))) ; the timer of a clone belongs to its base buffer
    (cancel-timer twospeed-document--timer))
  (setq twospeed-document--timer nil
        twospeed-document--send nil
        twospeed-document-uri nil))

(defun twospeed-document-save ()
  "Send `textDocument/didSave'."
  (when (twospeed-document-sync)
    (funcall twospeed-document--send 'textDocument/didSave
             (list :textDocument (list :uri twospeed-document-uri)))))

(defun twospeed-document--new-version ()
  "Return a new version."
  (setq twospeed-document--version (cl-incf twospeed-document--last-version)))

;;; Recording changes

(defun twospeed-document--before-change (start end)
  "Record that START to END are about to change."
  (unless (eq twospeed-document--tick (buffer-chars-modified-tick))
    (setq twospeed-document--changes t)) ; a change without the hooks
  (setq twospeed-document--before
        (unless (or twospeed-document--mixed (eq twospeed-document--changes t))
          (list start end (twospeed-text-range start end)))))

(defun twospeed-document--after-change (start end length)
  "Record that START to END replace LENGTH characters."
  (let ((before twospeed-document--before)
        (tick (buffer-chars-modified-tick)))
    (unless (eq tick twospeed-document--tick) ; else only text properties changed
      (setq twospeed-document--before nil)
      (twospeed-document--record (and before (apply #'twospeed-document--change
                                                    start end length before)))
      (setq twospeed-document--tick tick)
      (unless twospeed-document--timer
        (setq twospeed-document--timer
              (run-at-time 0 nil #'twospeed-document--sync-buffer (current-buffer)))))))

(defun twospeed-document--change (start end length old-start old-end range)
  "Return the LSP content change for START, END and LENGTH.
OLD-START to OLD-END, at RANGE, was announced; Emacs may announce more
than it changes.  Return nil if the announcement does not cover the change."
  (let ((grown (- end start length)))
    (when (and (<= old-start start) (<= (+ start length) old-end))
      (save-restriction
        (widen)
        (list :range range
              :text (buffer-substring-no-properties old-start (+ old-end grown)))))))

(defun twospeed-document--record (change)
  "Record CHANGE; if it is nil, the whole text must be sent."
  (if (or (not change)
          (eq twospeed-document--changes t)
          (string-search "\r" (plist-get change :text)))
      (setq twospeed-document--changes t
            twospeed-document--mixed (twospeed-text-mixed-p))
    (push change twospeed-document--changes)))

;;; Sending changes

(defun twospeed-document--sync-buffer (buffer)
  "Send the changes of BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq twospeed-document--timer nil)
      (twospeed-document-sync))))

(defun twospeed-document-sync ()
  "Send all changes; return the version, nil if the buffer is not open."
  (when twospeed-document--send
    (unless (eq twospeed-document--tick (buffer-chars-modified-tick))
      (setq twospeed-document--changes t ; a change without the hooks
            twospeed-document--mixed (twospeed-text-mixed-p)
            twospeed-document--tick (buffer-chars-modified-tick)))
    (when twospeed-document--changes
      (twospeed-document--send-changes))
    (and twospeed-document--send twospeed-document--version)))

(defun twospeed-document--send-changes ()
  "Send the changes; close the buffer if it is no longer valid text."
  (let ((changes (if (eq twospeed-document--changes t)
                     (list (list :text (twospeed-document--text)))
                   (nreverse twospeed-document--changes))))
    (setq twospeed-document--changes nil)
    (if (cl-every (lambda (change) (twospeed-text-fit-p (plist-get change :text))) changes)
        (let ((version (twospeed-document--new-version)))
          (setq twospeed-document--sent
                (seq-take (cons (cons version changes) twospeed-document--sent)
                          twospeed-document--versions-kept))
          (funcall twospeed-document--send 'textDocument/didChange
                   (list :textDocument (list :uri twospeed-document-uri :version version)
                         :contentChanges (vconcat changes))))
      (twospeed-document-close)
      (message "twospeed: closed on the server, the buffer contains bytes that are not text"))))

(defun twospeed-document-id ()
  "Send all changes; return the document and its version."
  (let ((version (twospeed-document-sync)))
    (list :uri twospeed-document-uri :version version)))

;;; Ranges of an earlier version

(defun twospeed-document-places (range version)
  "Return the positions of an LSP RANGE of VERSION in the current text.
Return nil if that version is too old."
  (let ((now (twospeed-document-sync))
        (since (reverse (seq-take-while (lambda (sent) (> (car sent) version))
                                        twospeed-document--sent)))
        (start (plist-get range :start))
        (end (plist-get range :end)))
    (when (and now (<= version now))
      (cl-dolist (change (apply #'append (mapcar #'cdr since))
                         (twospeed-text-places (list :start start :end end)))
        (unless (plist-get change :range)
          (cl-return nil))
        (setq start (twospeed-text-moved start change)
              end (twospeed-text-moved end change))))))

(provide 'twospeed-document)
;;; twospeed-document.el ends here
