;;; twospeed-places.el --- Several places for one instruction  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The places of the next edit: regions and positions that the user has added,
;; also in several buffers; the cursors of multiple-cursors; or all problems of
;; one kind that Flymake shows.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'seq)
(require 'twospeed-document)
(require 'twospeed-server)
(require 'twospeed-text)

(declare-function mc/all-fake-cursors "ext:multiple-cursors-core" (&optional start end))

(defface twospeed-place '((t :inherit secondary-selection))
  "The lines of a place of the next edit."
  :group 'twospeed)

(defconst twospeed-places--limit 100
  "The most places of one edit.")

(defconst twospeed-places--messages 5
  "The most different messages of problems of one kind in an instruction.")

(defvar twospeed-places--added nil
  "Overlays over the lines of added places, oldest first.
The property `twospeed-place' is a cons of markers.")

;;; Added places

(defun twospeed-places--live ()
  "Return the added places in live buffers."
  (setq twospeed-places--added (seq-filter #'overlay-buffer twospeed-places--added)))

(defun twospeed-places-add (start end)
  "Add START to END of the current buffer; return the number of places."
  (when (>= (length (twospeed-places--live)) twospeed-places--limit)
    (user-error "An edit has at most %d places; M-x twospeed-clear-places removes them"
                twospeed-places--limit))
  (let ((overlay (save-excursion
                   (make-overlay (progn (goto-char start) (line-beginning-position))
                                 (progn (goto-char end) (line-beginning-position 2))))))
    (overlay-put overlay 'face 'twospeed-place)
    (overlay-put overlay 'twospeed-place (cons (copy-marker start) (copy-marker end)))
    (setq twospeed-places--added (append twospeed-places--added (list overlay))))
  (length twospeed-places--added))

(defun twospeed-places-clear ()
  "Remove the added places."
  (mapc #'delete-overlay twospeed-places--added)
  (setq twospeed-places--added nil))

;;; multiple-cursors

(defconst twospeed-places--once
  '(twospeed-edit twospeed-add-place twospeed-clear-places twospeed-fix-all twospeed-toggle
    twospeed-set-mode twospeed-cancel twospeed-accept twospeed-reject twospeed-accept-hunk
    twospeed-reject-hunk twospeed-take twospeed-take-place twospeed-dismiss-offer
    twospeed-dismiss-place)
  "Commands that multiple-cursors runs once and not for each cursor.")

;; The list of the user, `mc/cmds-to-run-once', is replaced when its file is
;; loaded; the default list exists once multiple-cursors is loaded.
(defun twospeed-places--run-once ()
  "Let multiple-cursors run our commands once."
  (when (boundp 'mc/--default-cmds-to-run-once)
    (dolist (command twospeed-places--once)
      (add-to-list 'mc/--default-cmds-to-run-once command))))

(add-hook 'multiple-cursors-mode-hook #'twospeed-places--run-once)

(defun twospeed-places--cursors ()
  "Return conses of markers, one for each cursor of multiple-cursors, in order.
Return nil if there is only one cursor."
  (when (and (bound-and-true-p multiple-cursors-mode) (fboundp 'mc/all-fake-cursors))
    (let ((here (if (use-region-p)
                    (cons (copy-marker (region-beginning)) (copy-marker (region-end)))
                  (cons (point-marker) (point-marker))))
          (others (mapcar
                   (lambda (cursor)
                     (let* ((point (overlay-get cursor 'point))
                            (mark (if (overlay-get cursor 'mark-active)
                                      (overlay-get cursor 'mark)
                                    point)))
                       (cons (copy-marker (min point mark)) (copy-marker (max point mark)))))
                   (mc/all-fake-cursors))))
      (and others
           (sort (cons here others) (lambda (one other) (< (car one) (car other))))))))

;;; As params

(defun twospeed-places-of (server)
  "Return the places for the next edit with SERVER as conses of markers.
They are the added ones, else the cursors of multiple-cursors."
  (or (delq nil (mapcar (lambda (overlay)
                          (and (eq server (buffer-local-value 'twospeed-server
                                                              (overlay-buffer overlay)))
                               (overlay-get overlay 'twospeed-place)))
                        (twospeed-places--live)))
      (twospeed-places--cursors)))

(defun twospeed-places-label (places)
  "Return the number of PLACES, and of their files if there are several."
  (let ((files (length (seq-uniq (mapcar (lambda (place) (marker-buffer (car place)))
                                         places)))))
    (concat (format "%d place%s" (length places) (if (cdr places) "s" ""))
            (if (> files 1) (format " in %d files" files) ""))))

(defun twospeed-places-params (places)
  "Return PLACES as params of `twospeed/edit'."
  (let* ((all (mapcar (lambda (place)
                        (with-current-buffer (marker-buffer (car place))
                          (list :textDocument (twospeed-document-id)
                                :range (twospeed-text-range (car place) (cdr place)))))
                      places))
         (document (plist-get (car all) :textDocument)))
    (list :textDocument document
          :ranges (vconcat (mapcar (lambda (each)
                                     (if (equal (plist-get each :textDocument) document)
                                         (plist-get each :range)
                                       each))
                                   all)))))

;;; Problems of one kind

(defun twospeed-places--lsp (diagnostic)
  "Return the LSP diagnostic of Eglot in DIAGNOSTIC, or nil."
  (let ((data (flymake-diagnostic-data diagnostic)))
    (and (consp data) (consp (car data)) (alist-get 'eglot-lsp-diag data))))

(defun twospeed-places--message (diagnostic)
  "Return the message of DIAGNOSTIC."
  (or (plist-get (twospeed-places--lsp diagnostic) :message)
      (flymake-diagnostic-text diagnostic)))

(defun twospeed-places--kind (diagnostic)
  "Return what is equal in DIAGNOSTIC and in other ones of its kind."
  (let ((lsp (twospeed-places--lsp diagnostic)))
    (list (flymake-diagnostic-backend diagnostic)
          (plist-get lsp :source)
          (or (plist-get lsp :code) (list (twospeed-places--message diagnostic))))))

(defun twospeed-places--problem-here ()
  "Return the problem at point, else the first one of its line."
  (let ((on-line (sort (flymake-diagnostics (line-beginning-position) (line-end-position))
                       (lambda (one other)
                         (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other))))))
    (or (seq-find (lambda (each)
                    (<= (flymake-diagnostic-beg each) (point)
                        (1- (flymake-diagnostic-end each))))
                  on-line)
        (car on-line))))

(defun twospeed-places-problems ()
  "Return params of an edit of all problems like the one at point.
A kind of problem is a source and a code, without a code a message."
  (let* ((here (or (twospeed-places--problem-here)
                   (user-error "There is no problem in this line")))
         (alike (seq-take
                 (sort (seq-filter (lambda (each)
                                     (equal (twospeed-places--kind each)
                                            (twospeed-places--kind here)))
                                   (flymake-diagnostics))
                       (lambda (one other)
                         (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other))))
                 twospeed-places--limit))
         (messages (seq-take (seq-uniq (mapcar #'twospeed-places--message alike))
                             twospeed-places--messages)))
    (append
     (list :instruction (concat (if (cdr alike) "Fix every problem of this kind: "
                                  "Fix this problem: ")
                                (string-join messages "; ")))
     (twospeed-places-params (mapcar (lambda (each)
                                       (let ((place (copy-marker (flymake-diagnostic-beg each))))
                                         (cons place place)))
                                     alike)))))

(provide 'twospeed-places)
;;; twospeed-places.el ends here
