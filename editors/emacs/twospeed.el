;;; twospeed.el --- Inline AI edits at two speeds  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience, languages
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A client of the language server twospeed: say what shall change, and the
;; change comes into the buffer line by line while you go on typing.  A key
;; switches between a fast model and a thorough one.
;;
;;     (add-hook 'prog-mode-hook #'twospeed-mode)
;;
;; It lives beside Eglot and lsp-mode.  `C-S-l' switches the mode, and
;; `C-c * e' edits; `C-c * C-h' lists the other keys.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'twospeed-apply)
(require 'twospeed-document)
(require 'twospeed-findings)
(require 'twospeed-prompt)
(require 'twospeed-review)
(require 'twospeed-server)

;;; Keys

(defvar twospeed-command-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("e" . twospeed-edit)
                     ("t" . twospeed-toggle)
                     ("k" . twospeed-cancel)
                     ("a" . twospeed-accept)
                     ("r" . twospeed-reject)
                     ("A" . twospeed-accept-hunk)
                     ("R" . twospeed-reject-hunk)
                     ("n" . twospeed-next-hunk)
                     ("p" . twospeed-previous-hunk)
                     ("d" . twospeed-show-removed)
                     ("." . twospeed-repeat)
                     ("c" . twospeed-actions)
                     ("m" . twospeed-retry)
                     ("f" . twospeed-refine)
                     ("o" . twospeed-look-over)
                     ("v" . twospeed-next-variation)
                     ("V" . twospeed-previous-variation)
                     ("s" . twospeed-status)
                     ("l" . twospeed-log)))
      (define-key map (kbd key) command))
    map)
  "Keys behind `twospeed-keymap-prefix'.")

(defvar twospeed-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-S-l") #'twospeed-toggle)
    map)
  "Keys of `twospeed-mode'.")

(defcustom twospeed-keymap-prefix "C-c *"
  "The key before those of `twospeed-command-map', as `kbd' takes it.
Set it with `customize' or `setopt', or ahead of loading twospeed."
  :type 'string
  :group 'twospeed
  :set (lambda (symbol prefix)
         (when (boundp symbol)
           (define-key twospeed-mode-map (kbd (symbol-value symbol)) nil))
         (set-default symbol prefix)
         (define-key twospeed-mode-map (kbd prefix) twospeed-command-map)))

(defvar twospeed-hunk-repeat-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("n" . twospeed-next-hunk)
                     ("p" . twospeed-previous-hunk)
                     ("A" . twospeed-accept-hunk)
                     ("R" . twospeed-reject-hunk)
                     ("v" . twospeed-next-variation)
                     ("V" . twospeed-previous-variation)))
      (define-key map (kbd key) command)
      (put command 'repeat-map 'twospeed-hunk-repeat-map))
    map)
  "Keys that `repeat-mode' lets go on without the prefix.")

(defvar twospeed-live-map
  (let ((map (make-sparse-keymap)))
    (define-key map [remap keyboard-quit] #'twospeed-quit)
    (define-key map [remap keyboard-escape-quit] #'twospeed-quit)
    map)
  "Keys while an edit is under way in the buffer.")

(defvar-local twospeed--live nil
  "Whether an edit is under way in the buffer.")

(add-to-list 'minor-mode-map-alist (cons 'twospeed--live twospeed-live-map))

;;; The mode line

(defun twospeed--note-edits ()
  "Note whether an edit is under way in the buffer."
  (setq twospeed--live (seq-some #'twospeed-review-live-p twospeed-review-edits)))

(add-hook 'twospeed-review-changed-hook #'twospeed--note-edits)

(defun twospeed--show-servers ()
  "Show in all mode lines what has become of the servers."
  (force-mode-line-update t))

(add-hook 'twospeed-server-changed-hook #'twospeed--show-servers)

(defun twospeed--serves (mode)
  "Give the model that serves in MODE, what `twospeed-server-mode' gives."
  (plist-get (plist-get mode (intern (concat ":" (plist-get mode :mode)))) :model))

(defvar twospeed--lighter-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] #'twospeed-toggle)
    map)
  "What a click on the mode line does.")

(defun twospeed-lighter ()
  "Say what the mode is, who serves it, and which edits are under way."
  (let ((mode (and twospeed-server (twospeed-server-mode twospeed-server)))
        (open (length (twospeed-review-hunk-overlays))))
    (cond
     ((not (and twospeed-server (jsonrpc-running-p twospeed-server)))
      (propertize " twospeed!" 'face 'error
                  'help-echo "The server does not run: M-x twospeed-restart"))
     ((not mode) " twospeed...")
     (t
      (propertize
       (concat " " (twospeed-review-icon (plist-get mode :mode))
               (twospeed--serves mode)
               (mapconcat (lambda (edit)
                            (format " %s…" (twospeed-review-icon (twospeed-review-mode edit))))
                          (seq-filter #'twospeed-review-live-p twospeed-review-edits) "")
               (if (> open 0) (format " ±%d" open) ""))
       'help-echo (concat "Twospeed: mouse-1 switches the mode"
                          (when-let ((edit (seq-find #'twospeed-review-outcome
                                                     twospeed-review-edits)))
                            (concat "\n" (twospeed-review-summary edit))))
       'mouse-face 'mode-line-highlight
       'local-map twospeed--lighter-map)))))

;;; The mode

(defconst twospeed--hooks
  '((kill-buffer-hook . twospeed--leave)
    (change-major-mode-hook . twospeed--turn-off)
    (after-save-hook . twospeed-document-save)
    (after-revert-hook . twospeed--rejoin)
    (after-set-visited-file-name-hook . twospeed--rejoin))
  "What the mode does when something happens to its buffer.")

;;;###autoload
(define-minor-mode twospeed-mode
  "Edit with twospeed in this buffer.
\\<twospeed-mode-map>
\\[twospeed-edit] edits the region, or the function around point;
\\[twospeed-toggle] switches between the fast mode and the thorough one."
  :lighter (:eval (twospeed-lighter))
  :group 'twospeed
  (if (not twospeed-mode)
      (progn
        (pcase-dolist (`(,hook . ,function) twospeed--hooks)
          (remove-hook hook function t))
        (twospeed--leave))
    (let ((obstacle (or (twospeed-document-obstacle) (twospeed--join))))
      (if (not obstacle)
          (pcase-dolist (`(,hook . ,function) twospeed--hooks)
            (add-hook hook function nil t))
        (setq twospeed-mode nil)
        (when (called-interactively-p 'any)
          (message "Twospeed leaves this buffer alone: %s" obstacle))))))

;;;###autoload
(define-globalized-minor-mode global-twospeed-mode
  twospeed-mode twospeed--turn-on
  :predicate '(prog-mode text-mode conf-mode)
  :group 'twospeed)

(defun twospeed--turn-on ()
  "Turn `twospeed-mode' on."
  (twospeed-mode 1))

(defun twospeed--turn-off ()
  "Turn `twospeed-mode' off."
  (twospeed-mode 0))

(defun twospeed--join ()
  "Open the buffer at its server; return what went wrong, if anything did."
  (unless twospeed-server
    (condition-case problem
        (progn
          (twospeed-server-join)
          (twospeed-findings-watch)
          nil)
      (error (message "%s" (error-message-string problem))
             (error-message-string problem)))))

(defun twospeed--leave ()
  "Close the buffer at its server."
  (twospeed-findings-unwatch)
  (twospeed-review-forget)
  (twospeed--note-edits)
  (twospeed-server-leave))

(defun twospeed--rejoin ()
  "Close the buffer and open it anew: it has another text or another name.
What was asked for the old text ends with it."
  (let ((server twospeed-server))
    (when server
      (cl-incf (twospeed-server-guests server))
      (twospeed--leave))
    (if (twospeed-document-obstacle)
        (twospeed-mode 0)
      (twospeed--join))
    (when server
      (cl-decf (twospeed-server-guests server))
      (twospeed-server-stop-unused server))))

;;; Editing

;;;###autoload
(defun twospeed-edit (&optional variations)
  "Ask for an instruction and edit the region, or what is around point.
Where an edit is under way, the words are told to it instead.  With a
prefix argument, ask for so many VARIATIONS of the answer."
  (interactive "P")
  (let* ((server (twospeed-server-here))
         (live (and (not (use-region-p)) (twospeed-review-live-here))))
    (if live
        (twospeed-server-request
         server 'twospeed/steer
         (append (list :editId (twospeed-review-id live))
                 (twospeed-prompt-read "Steer" server)))
      (twospeed--ask server
                     (append (twospeed-prompt-read "Edit" server)
                             (and variations
                                  (list :variations (prefix-numeric-value variations)))))
      (deactivate-mark))))

(defun twospeed--ask (server params)
  "Ask SERVER for an edit with PARAMS."
  (twospeed-server-request server 'twospeed/edit params #'twospeed--report))

(defun twospeed--report (result)
  "Say of RESULT what the text does not show."
  (let ((reason (plist-get result :reason))
        (findings (append (plist-get result :findings) nil))
        (conflicts (length (plist-get result :conflicts))))
    (twospeed-findings-take findings (plist-get result :version))
    (cond
     (reason
      (unless (equal (plist-get result :outcome) "cancelled")
        (message "twospeed: %s" (plist-get reason :message))))
     (findings
      (message "twospeed: %s" (plist-get (car findings) :message)))
     ((> conflicts 0)
      (message "twospeed: %d of your own changes stay; the answer wanted something else there"
               conflicts)))))

(defun twospeed-refine ()
  "Ask for words that go on from the last edit."
  (interactive)
  (let* ((server (twospeed-server-here))
         (edit (or (twospeed-review-find #'twospeed-review-open-p)
                   (user-error "There is no edit in review to refine")))
         (words (twospeed-prompt-read "Refine" server))
         (scope (twospeed-review-scope edit)))
    (unless (and scope (overlay-buffer scope))
      (user-error "That edit has ended meanwhile"))
    (twospeed--ask server
                   (append words
                           (list :textDocument (twospeed-document-id)
                                 :range (twospeed-text-range (overlay-start scope)
                                                             (overlay-end scope))
                                 :follows (twospeed-review-id edit))))))

;;;###autoload
(defun twospeed-actions ()
  "Choose from what twospeed offers for the region, or at point."
  (interactive)
  (let ((server (twospeed-server-here))
        (range (if (use-region-p)
                   (twospeed-text-range (region-beginning) (region-end))
                 (twospeed-text-range (point) (point)))))
    (twospeed-server-request
     server 'textDocument/codeAction
     (list :textDocument (list :uri (plist-get (twospeed-document-id) :uri))
           :range range
           :context '(:diagnostics []))
     (lambda (actions) ; outside of the process filter, since this asks
       (run-at-time 0 nil #'twospeed--choose-action server (append actions nil))))
    (deactivate-mark)))

(defun twospeed--choose-action (server actions)
  "Let one of ACTIONS be chosen, and have SERVER run it."
  (unless actions
    (user-error "Twospeed offers nothing here"))
  (let* ((titles (mapcar (lambda (action) (plist-get action :title)) actions))
         (title (completing-read "Twospeed: " titles nil t))
         (action (nth (or (seq-position titles title) 0) actions))
         (command (plist-get action :command)))
    (twospeed-server-request server 'workspace/executeCommand
                             (list :command (plist-get command :command)
                                   :arguments (plist-get command :arguments)))))

(defun twospeed-repeat ()
  "Give the last instruction again, for the region or what is around point."
  (interactive)
  (let ((server (twospeed-server-here))
        (range (if (use-region-p)
                   (twospeed-text-range (region-beginning) (region-end))
                 (twospeed-text-range (point) (point)))))
    (twospeed-server-execute server "repeat"
                             (list :uri (plist-get (twospeed-document-id) :uri)
                                   :range range))
    (deactivate-mark)))

(defun twospeed-retry ()
  "Take the last edit back, and make it again in the other mode."
  (interactive)
  (let ((server (twospeed-server-here))
        (edit (or (twospeed-review-find #'identity)
                  (user-error "There is no edit to make again"))))
    (twospeed-document-sync)
    (twospeed-server-execute server "retry" (list :editId (twospeed-review-id edit)))))

(defun twospeed-look-over ()
  "Let the thorough mode look over the edit at point, or the newest."
  (interactive)
  (let ((server (twospeed-server-here))
        (edit (or (twospeed-review-find #'twospeed-review-open-p)
                  (user-error "There is no edit in review"))))
    (twospeed-document-sync)
    (twospeed-server-execute server "review" (twospeed-review-id edit))))

(defun twospeed-cancel ()
  "Stop the edit at point, or the newest, and put the old text back."
  (interactive)
  (let ((server (twospeed-server-here))
        (edit (or (twospeed-review-find #'twospeed-review-live-p)
                  (user-error "No edit is under way here"))))
    (twospeed-document-sync)
    (twospeed-server-execute server "cancel" (twospeed-review-id edit))))

(defun twospeed-quit ()
  "Deactivate the region, if it is active; else stop the edit that is under way."
  (interactive)
  (if (or (region-active-p) (not (twospeed-review-find #'twospeed-review-live-p)))
      (keyboard-quit)
    (twospeed-cancel)))

;;;###autoload
(defun twospeed-toggle ()
  "Switch between the fast mode and the thorough one."
  (interactive)
  (twospeed-server-toggle
   (twospeed-server-here)
   (lambda (mode)
     (message "twospeed: %s %s, %s" (twospeed-review-icon (plist-get mode :mode))
              (plist-get mode :mode) (twospeed--serves mode)))))

;;; Reviewing

(defun twospeed--decide (action)
  "Let ACTION happen to the whole edit at point, or to the newest.
Where none is known, the server says so, or has one that is news here."
  (let ((server (twospeed-server-here))
        (edit (twospeed-review-find #'twospeed-review-open-p)))
    (twospeed-document-sync)
    (if edit
        (twospeed-review-decide server edit action)
      (twospeed-server-execute server action))))

(defun twospeed-accept ()
  "Keep the edit at point, or the newest."
  (interactive)
  (twospeed--decide "accept"))

(defun twospeed-reject ()
  "Take the edit at point back, or the newest; what you changed since stays."
  (interactive)
  (twospeed--decide "reject"))

(defun twospeed--decide-hunk (action)
  "Let ACTION happen to the hunk at point alone."
  (let ((server (twospeed-server-here)))
    (pcase-let ((`(,edit . ,hunk) (or (twospeed-review-hunk-here)
                                      (user-error "There is no change of an edit at point"))))
      (twospeed-review-decide server edit action hunk))))

(defun twospeed-accept-hunk ()
  "Keep the change at point."
  (interactive)
  (twospeed--decide-hunk "accept"))

(defun twospeed-reject-hunk ()
  "Take the change at point back."
  (interactive)
  (twospeed--decide-hunk "reject"))

(defun twospeed-next-hunk (&optional backward)
  "Go to the next change of an edit in review, or BACKWARD."
  (interactive)
  (let* ((starts (mapcar #'overlay-start (twospeed-review-hunk-overlays)))
         (place (if backward
                    (seq-find (lambda (start) (< start (point))) (reverse starts))
                  (seq-find (lambda (start) (> start (point))) starts))))
    (unless place
      (user-error "There is no change of an edit %s" (if backward "above" "below")))
    (push-mark nil t)
    (goto-char place)))

(defun twospeed-previous-hunk ()
  "Go to the change of an edit in review above."
  (interactive)
  (twospeed-next-hunk t))

(defun twospeed-show-removed ()
  "Show or hide the lines that edits in review have removed."
  (interactive)
  (twospeed-review-toggle-removed))

(defun twospeed--show-variation (step)
  "Show the answer STEP places further."
  (let ((server (twospeed-server-here))
        (edit (or (twospeed-review-find #'twospeed-review-open-p)
                  (user-error "There is no edit in review"))))
    (twospeed-document-sync)
    (twospeed-server-request server 'twospeed/variation
                             (list :editId (twospeed-review-id edit) :step step)
                             #'twospeed--report)))

(defun twospeed-next-variation ()
  "Put the next answer in the place of this one."
  (interactive)
  (twospeed--show-variation 1))

(defun twospeed-previous-variation ()
  "Put the answer before in the place of this one."
  (interactive)
  (twospeed--show-variation -1))

;;; The server

(defun twospeed-restart ()
  "Start the server of this buffer's project anew, with all its buffers."
  (interactive)
  (let* ((old twospeed-server)
         (buffers (if old (seq-filter #'buffer-live-p (twospeed-server-buffers old))
                    (list (current-buffer)))))
    (when old
      (twospeed-server-stop old))
    (dolist (buffer buffers)
      (with-current-buffer buffer
        (twospeed--leave)
        (twospeed-mode 1)))))

(defun twospeed-log ()
  "Show what the server of this buffer has written on stderr."
  (interactive)
  (display-buffer (twospeed-server-log-buffer
                   (or twospeed-server (user-error "Twospeed is not on in this buffer")))))

(defun twospeed-doctor ()
  "Show what is configured, and whether it can be reached."
  (interactive)
  (async-shell-command
   (mapconcat #'shell-quote-argument (append (twospeed-server-command) '("doctor")) " ")
   "*twospeed doctor*"))

(defun twospeed-status ()
  "Show the mode, who serves each mode or why not, and the last edits."
  (interactive)
  (twospeed-server-request (twospeed-server-here) 'twospeed/status (make-hash-table)
                           #'twospeed--show-status))

(defun twospeed--show-status (status)
  "Show STATUS in a window."
  (with-help-window "*twospeed status*"
    (dolist (mode '("lightning" "deep"))
      (princ (format "%s %s%s\n" (twospeed-review-icon mode) mode
                     (if (equal mode (plist-get status :mode)) ", now" "")))
      (seq-do (lambda (entry)
                (princ (format "  %s/%s: %s\n" (plist-get entry :provider)
                               (plist-get entry :model)
                               (or (plist-get entry :reason) "ready"))))
              (plist-get (plist-get status :lanes) (intern (concat ":" mode)))))
    (princ "\n")
    (seq-do (lambda (edit)
              (princ (format "%s %s %s, %s/%s%s\n"
                             (plist-get edit :editId)
                             (twospeed-review-icon (plist-get edit :mode))
                             (or (plist-get edit :verdict) (plist-get edit :outcome)
                                 (plist-get edit :state))
                             (plist-get edit :provider) (plist-get edit :model)
                             (if-let ((reason (plist-get edit :reason)))
                                 (format ": %s" (plist-get reason :message))
                               ""))))
            (plist-get status :edits))))

(provide 'twospeed)
;;; twospeed.el ends here
