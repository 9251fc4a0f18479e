;;; twospeed-prompt.el --- Read an instruction  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The prompt in the minibuffer shows the icon of the mode and the scope.  The
;; scope is highlighted in the buffer; keys make it larger or smaller.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'twospeed-document)
(require 'twospeed-review)
(require 'twospeed-server)

(defface twospeed-scope '((t :inherit secondary-selection))
  "The scope, while the prompt is open."
  :group 'twospeed)

(defvar twospeed-prompt-history nil
  "Instructions, newest first.")

(cl-defstruct (twospeed-prompt--state (:conc-name twospeed-prompt--))
  "The state of an open prompt."
  server buffer verb
  (origin nil :documentation "Markers of the ends of the selection, or of point twice.")
  (scopes nil :documentation "Lists of a choice, a label and two markers, smallest scope first.")
  (index 0 :documentation "Index of the chosen scope.")
  (shown nil :documentation "Overlay in the buffer.")
  (prompt nil :documentation "Overlay in the minibuffer."))

(defvar twospeed-prompt--now nil
  "The state of the open prompt.")

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
  "Return a label with KIND, NAME and the number of lines from START to END."
  (let ((lines (count-lines start end)))
    (concat kind
            (if name (concat " " name) "")
            (if (member kind '("insertion" "selection at point")) ""
              (format ", %d %s" lines (if (= lines 1) "line" "lines"))))))

(defun twospeed-prompt--selection-p (state)
  "Return non-nil if STATE is for a selection, as the protocol defines it."
  (pcase-let ((`(,start . ,end) (twospeed-prompt--origin state)))
    (> (- end start) 1)))

(defun twospeed-prompt--auto (state scopes)
  "Return the one of SCOPES that the server would choose for STATE, or nil."
  (unless (twospeed-prompt--selection-p state)
    (cl-some (lambda (kind)
               (cl-find kind scopes :test #'equal
                        :key (lambda (scope) (plist-get scope :kind))))
             '("function" "class" "block"))))

(defun twospeed-prompt--read-scope (scope version choice)
  "Convert SCOPE, with a range of VERSION, to an entry with CHOICE."
  (when-let ((places (twospeed-document-places (plist-get scope :range) version)))
    (list choice
          (twospeed-prompt--label (plist-get scope :kind) (plist-get scope :name)
                                  (car places) (cdr places))
          (copy-marker (car places))
          (copy-marker (cdr places)))))

(defun twospeed-prompt--set-scopes (state result)
  "Store RESULT of `twospeed/scopes' in STATE."
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
  "Return the entry of STATE for a selection, or for an insertion at point."
  (pcase-let* ((`(,start . ,end) (twospeed-prompt--origin state))
               (kind (if (twospeed-prompt--selection-p state) "selection" "insertion")))
    (list 'auto (twospeed-prompt--label kind nil start end) start end)))

(defun twospeed-prompt--scope (state)
  "Return the chosen scope of STATE, nil until it is known."
  (nth (twospeed-prompt--index state) (twospeed-prompt--scopes state)))

;;; Display

(defun twospeed-prompt--text (state)
  "Return the text of the prompt for STATE."
  (let ((scope (twospeed-prompt--scope state))
        (mode (plist-get (twospeed-server-mode (twospeed-prompt--server state)) :mode)))
    (concat (twospeed-review-icon mode) " "
            (twospeed-prompt--verb state)
            (if scope (format " (%s)" (nth 1 scope)) "")
            ": ")))

(defun twospeed-prompt--refresh (state)
  "Update the prompt and the scope of STATE, if it is still open."
  (when (eq state twospeed-prompt--now)
    (when-let ((overlay (twospeed-prompt--prompt state)))
      (overlay-put overlay 'display
                   (propertize (twospeed-prompt--text state) 'face 'minibuffer-prompt)))
    (when-let ((scope (twospeed-prompt--scope state)))
      (move-overlay (twospeed-prompt--shown state) (nth 2 scope) (nth 3 scope)
                    (twospeed-prompt--buffer state)))))

(defun twospeed-prompt--refresh-now ()
  "Update the open prompt."
  (when twospeed-prompt--now
    (twospeed-prompt--refresh twospeed-prompt--now)))

(add-hook 'twospeed-server-changed-hook #'twospeed-prompt--refresh-now)

(defun twospeed-prompt--set-up ()
  "Cover the prompt with an overlay, so that its text can change."
  (setf (twospeed-prompt--prompt twospeed-prompt--now)
        (make-overlay (point-min) (minibuffer-prompt-end)))
  (twospeed-prompt--refresh-now))

;;; Keys

(defun twospeed-prompt--step (step)
  "Choose the scope that is STEP entries larger."
  (let* ((state twospeed-prompt--now)
         (index (+ (twospeed-prompt--index state) step)))
    (if (not (nth (max index 0) (twospeed-prompt--scopes state)))
        (minibuffer-message "[This is the largest scope]")
      (when (< index 0)
        (minibuffer-message "[This is the smallest scope]"))
      (setf (twospeed-prompt--index state) (max index 0))
      (twospeed-prompt--refresh state))))

(defun twospeed-prompt-expand ()
  "Choose the next larger scope."
  (interactive)
  (twospeed-prompt--step 1))

(defun twospeed-prompt-shrink ()
  "Choose the next smaller scope."
  (interactive)
  (twospeed-prompt--step -1))

(defun twospeed-prompt-toggle ()
  "Switch the mode."
  (interactive)
  (twospeed-server-switch (twospeed-prompt--server twospeed-prompt--now)))

;;; Reading

(defun twospeed-prompt-read (verb server)
  "Read an instruction; VERB is \"Edit\", \"Refine\" or \"Steer\".
Return params of a request; for \"Edit\" they include the document and
the range, and SERVER prepares for the edit meanwhile."
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
              (user-error "The instruction is empty"))
            (append (list :instruction words)
                    (and (equal verb "Edit") (twospeed-prompt--place state)))))
      (delete-overlay (twospeed-prompt--shown state)))))

(defun twospeed-prompt--range (state)
  "Return the LSP range of the selection or point of STATE."
  (pcase-let ((`(,start . ,end) (twospeed-prompt--origin state)))
    (twospeed-text-range start end)))

(defun twospeed-prompt--prepare (state)
  "Let the server of STATE prepare, and request the scopes."
  (let ((server (twospeed-prompt--server state))
        (document (list :uri (plist-get (twospeed-document-id) :uri)))
        (range (twospeed-prompt--range state)))
    (when (twospeed-prompt--selection-p state)
      (setf (twospeed-prompt--scopes state) (list (twospeed-prompt--plain state))))
    (twospeed-server-request server 'twospeed/prepare
                             (list :textDocument document :range range))
    (twospeed-server-request server 'twospeed/scopes
                             (list :textDocument document :position (plist-get range :start))
                             (lambda (result) (twospeed-prompt--set-scopes state result)))))

(defun twospeed-prompt--place (state)
  "Return the document, range and scope of STATE as params of `twospeed/edit'."
  (with-current-buffer (twospeed-prompt--buffer state)
    (append
     (list :textDocument (twospeed-document-id))
     (pcase (twospeed-prompt--scope state)
       (`(lines ,_ ,start ,end)
        (list :range (twospeed-text-range start end) :scope "selection"))
       (_ (list :range (twospeed-prompt--range state)))))))

(provide 'twospeed-prompt)
;;; twospeed-prompt.el ends here
