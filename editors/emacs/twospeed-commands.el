;;; twospeed-commands.el --- What a person does with an edit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Asking for an edit, going on from it, and reviewing what it changed.

;;; Code:

(require 'seq)
(require 'twospeed-answer)
(require 'twospeed-apply)
(require 'twospeed-document)
(require 'twospeed-findings)
(require 'twospeed-prompt)
(require 'twospeed-review)
(require 'twospeed-server)

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
        (said (plist-get result :message))
        (conflicts (length (plist-get result :conflicts))))
    (twospeed-findings-take findings (plist-get result :version))
    (cond
     (reason
      (unless (equal (plist-get result :outcome) "cancelled")
        (message "twospeed: %s%s" (plist-get reason :message)
                 (if (plist-get result :answer)
                     (concat "; M-x twospeed-show-answer shows the answer,"
                             " M-x twospeed-apply-anyway puts it in")
                   ""))))
     (findings
      (message "twospeed: %s" (plist-get (car findings) :message)))
     ((> conflicts 0)
      (message "twospeed: %d of your own changes stay; the answer wanted something else there"
               conflicts))
     (said
      (let ((message-truncate-lines t))
        (message "twospeed: the model says: %s"
                 (replace-regexp-in-string "[ \t]*\n[ \t]*" " " said)))))))

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
    (cond
     ((plist-get action :edit)
      (twospeed--apply-workspace-edit server (plist-get action :edit)))
     ((equal (plist-get command :command) "twospeed.showAnswer")
      (twospeed-answer-show server (seq-first (plist-get command :arguments))))
     (t
      (twospeed-server-request server 'workspace/executeCommand
                               (list :command (plist-get command :command)
                                     :arguments (plist-get command :arguments)))))))

(defun twospeed--apply-workspace-edit (server edit)
  "Apply EDIT, a WorkspaceEdit from SERVER with document changes, as one undo step."
  (seq-doseq (change (plist-get edit :documentChanges))
    (let ((result (twospeed-apply-answer
                   server (append change '(:undoStopBefore t :undoStopAfter t)))))
      (unless (eq (plist-get result :applied) t)
        (user-error "The text has changed since, or is read-only: choose again")))))

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

(provide 'twospeed-commands)
;;; twospeed-commands.el ends here
