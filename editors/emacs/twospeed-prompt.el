;;; twospeed-prompt.el --- Ask for an instruction  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The minibuffer asks, and its prompt shows the mode's icon and what would be
;; edited.  That is marked in the buffer; keys make it larger and smaller.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'twospeed-document)
(require 'twospeed-review)
(require 'twospeed-server)

(defface twospeed-scope '((t :inherit secondary-selection))
  "What an instruction is asked for."
  :group 'twospeed)

(defvar twospeed-prompt-history nil
  "Instructions, newest first.")

(cl-defstruct (twospeed-prompt--state (:conc-name twospeed-prompt--))
  "What is asked for."
  server buffer verb
  (origin nil :documentation "Markers of the selection's ends, or of point twice.")
  (scopes nil :documentation "Lists of a choice, a label and two markers, smallest first.")
  (index 0 :documentation "Which of them.")
  (shown nil :documentation "Overlay in the buffer.")
  (prompt nil :documentation "Overlay in the minibuffer."))

(defvar twospeed-prompt--now nil
  "What is asked for in the minibuffer.")

(defvar twospeed-prompt-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map minibuffer-local-map)
    (define-key map (kbd "TAB") #'twospeed-prompt-expand)
    (define-key map (kbd "<backtab>") #'twospeed-prompt-shrink)
    (define-key map (kbd "C-S-l") #'twospeed-prompt-toggle)
    (define-key map (kbd "M-m") #'twospeed-prompt-toggle)
    map)
  "Keys of the prompt.")

;;; Scopes

(defun twospeed-prompt--label (kind name start end)
  "Say what a scope is: KIND, NAME and how many lines START to END are."
  (let ((lines (count-lines start end)))
    (concat kind
            (if name (concat " " name) "")
            (if (member kind '("insertion" "selection at point")) ""
              (format ", %d %s" lines (if (= lines 1) "line" "lines"))))))

(defun twospeed-prompt--selection-p (state)
  "Tell whether STATE asks for a selection, as the protocol sees it."
  (pcase-let ((`(,start . ,end) (twospeed-prompt--origin state)))
    (> (- end start) 1)))

(defun twospeed-prompt--auto (state scopes)
  "Give the one of SCOPES that the server takes by itself, nil if it is none.
STATE is what is asked for."
  (unless (twospeed-prompt--selection-p state)
    (cl-some (lambda (kind)
               (cl-find kind scopes :test #'equal
                        :key (lambda (scope) (plist-get scope :kind))))
             '("function" "class" "block"))))

(defun twospeed-prompt--read-scope (scope version choice)
  "Read SCOPE of the server's, true at VERSION, to be asked for with CHOICE."
  (when-let ((places (twospeed-document-places (plist-get scope :range) version)))
    (list choice
          (twospeed-prompt--label (plist-get scope :kind) (plist-get scope :name)
                                  (car places) (cdr places))
          (copy-marker (car places))
          (copy-marker (cdr places)))))

(defun twospeed-prompt--take-scopes (state result)
  "Take RESULT, what could be edited at the place of STATE."
  (let* ((scopes (append (plist-get result :scopes) nil))
         (version (plist-get result :version))
         (auto (twospeed-prompt--auto state scopes))
         (first (if auto
                    (twospeed-prompt--read-scope auto version 'auto)
                  (twospeed-prompt--plain state)))
         (larger (delq nil (mapcar (lambda (scope)
                                     (twospeed-prompt--read-scope scope version 'lines))
                                   scopes))))
    (setf (twospeed-prompt--scopes state)
          (cons first
                (seq-filter (lambda (scope)
                              (and (<= (nth 2 scope) (nth 2 first))
                                   (>= (nth 3 scope) (nth 3 first))
                                   (> (- (nth 3 scope) (nth 2 scope))
                                      (- (nth 3 first) (nth 2 first)))))
                            larger)))
    (twospeed-prompt--refresh state)))

(defun twospeed-prompt--plain (state)
  "Give what STATE asks for, if it is nothing that has a name."
  (pcase-let* ((`(,start . ,end) (twospeed-prompt--origin state))
               (kind (if (twospeed-prompt--selection-p state) "selection" "insertion")))
    (list 'auto (twospeed-prompt--label kind nil start end) start end)))

(defun twospeed-prompt--scope (state)
  "Give the scope of STATE that is chosen, nil while it is not known."
  (nth (twospeed-prompt--index state) (twospeed-prompt--scopes state)))

;;; How it looks

(defun twospeed-prompt--text (state)
  "Give the prompt for STATE."
  (let ((scope (twospeed-prompt--scope state))
        (mode (plist-get (twospeed-server-mode (twospeed-prompt--server state)) :mode)))
    (concat (twospeed-review-icon mode) " "
            (twospeed-prompt--verb state)
            (if scope (format " (%s)" (nth 1 scope)) "")
            ": ")))

(defun twospeed-prompt--refresh (state)
  "Show what STATE asks for now, if it is still asked for."
  (when (eq state twospeed-prompt--now)
    (when-let ((overlay (twospeed-prompt--prompt state)))
      (overlay-put overlay 'display
                   (propertize (twospeed-prompt--text state) 'face 'minibuffer-prompt)))
    (when-let ((scope (twospeed-prompt--scope state)))
      (move-overlay (twospeed-prompt--shown state) (nth 2 scope) (nth 3 scope)
                    (twospeed-prompt--buffer state)))))

(defun twospeed-prompt--refresh-now ()
  "Show what is asked for now."
  (when twospeed-prompt--now
    (twospeed-prompt--refresh twospeed-prompt--now)))

(add-hook 'twospeed-server-changed-hook #'twospeed-prompt--refresh-now)

(defun twospeed-prompt--set-up ()
  "Make the prompt one that can change."
  (setf (twospeed-prompt--prompt twospeed-prompt--now)
        (make-overlay (point-min) (minibuffer-prompt-end)))
  (twospeed-prompt--refresh-now))

;;; Keys

(defun twospeed-prompt--step (step)
  "Go STEP scopes up."
  (let* ((state twospeed-prompt--now)
         (index (+ (twospeed-prompt--index state) step)))
    (if (not (nth (max index 0) (twospeed-prompt--scopes state)))
        (minibuffer-message "[There is nothing larger]")
      (when (< index 0)
        (minibuffer-message "[There is nothing smaller]"))
      (setf (twospeed-prompt--index state) (max index 0))
      (twospeed-prompt--refresh state))))

(defun twospeed-prompt-expand ()
  "Ask for the next larger scope."
  (interactive)
  (twospeed-prompt--step 1))

(defun twospeed-prompt-shrink ()
  "Ask for the next smaller scope."
  (interactive)
  (twospeed-prompt--step -1))

(defun twospeed-prompt-toggle ()
  "Switch the mode."
  (interactive)
  (twospeed-server-toggle (twospeed-prompt--server twospeed-prompt--now)))

;;; Asking

(defun twospeed-prompt-read (verb server)
  "Ask for an instruction to VERB something, \"Edit\" or \"Refine\", at SERVER.
Return a list of params of `twospeed/edit', or of the words alone if
VERB is \"Steer\".  SERVER gets ready meanwhile."
  (let* ((region (use-region-p))
         (state (make-twospeed-prompt--state
                 :server server :buffer (current-buffer) :verb verb
                 :origin (cons (copy-marker (if region (region-beginning) (point)))
                               (copy-marker (if region (region-end) (point))))
                 :shown (make-overlay (point) (point))))
         (twospeed-prompt--now state))
    (overlay-put (twospeed-prompt--shown state) 'face 'twospeed-scope)
    (unwind-protect
        (progn
          (when (equal verb "Edit")
            (twospeed-prompt--prepare state))
          (let ((words (minibuffer-with-setup-hook #'twospeed-prompt--set-up
                         (read-from-minibuffer (twospeed-prompt--text state) nil
                                               twospeed-prompt-map nil
                                               'twospeed-prompt-history))))
            (when (string-blank-p words)
              (user-error "No instruction, no edit"))
            (append (list :instruction words)
                    (and (equal verb "Edit") (twospeed-prompt--place state)))))
      (delete-overlay (twospeed-prompt--shown state)))))

(defun twospeed-prompt--range (state)
  "Give the LSP range of what STATE asks for by itself."
  (pcase-let ((`(,start . ,end) (twospeed-prompt--origin state)))
    (twospeed-text-range start end)))

(defun twospeed-prompt--prepare (state)
  "Let the server of STATE prepare, and say what could be edited."
  (let ((server (twospeed-prompt--server state))
        (document (list :uri (plist-get (twospeed-document-id) :uri)))
        (range (twospeed-prompt--range state)))
    (when (twospeed-prompt--selection-p state)
      (setf (twospeed-prompt--scopes state) (list (twospeed-prompt--plain state))))
    (twospeed-server-request server 'twospeed/prepare
                             (list :textDocument document :range range))
    (twospeed-server-request server 'twospeed/scopes
                             (list :textDocument document :position (plist-get range :start))
                             (lambda (result) (twospeed-prompt--take-scopes state result)))))

(defun twospeed-prompt--place (state)
  "Give the params of `twospeed/edit' that say where, from STATE."
  (with-current-buffer (twospeed-prompt--buffer state)
    (append
     (list :textDocument (twospeed-document-id))
     (pcase (twospeed-prompt--scope state)
       (`(lines ,_ ,start ,end)
        (list :range (twospeed-text-range start end) :scope "selection"))
       (_ (list :range (twospeed-prompt--range state)))))))

(provide 'twospeed-prompt)
;;; twospeed-prompt.el ends here
