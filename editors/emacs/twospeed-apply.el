;;; twospeed-apply.el --- Apply edits to a buffer in use  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Handles `twospeed/applyEdit' and `workspace/applyEdit': applies all edits of
;; a document at exactly its version, or none.
;;
;; Markers stay with their text.  New lines are inserted before the line break
;; above them, so that every marker at the start of the line below moves with
;; that line.  Emacs has no list of all markers, so they cannot be moved back.
;;
;; An edit is one undo step if nothing else changes the buffer meanwhile.
;; Typing is never in the same step.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'twospeed-document)
(require 'twospeed-server)

(defvar twospeed-apply-functions nil
  "Called in the buffer with the id of an edit, and the start and end of new text.")

(defvar-local twospeed-apply--step nil
  "The undo step that the next change can join.
A list of an edit's id, a version and a change group.")

;;; Whether the buffer can be changed

(defun twospeed-apply--rejection (version)
  "Return the protocol's reason to reject an edit for VERSION, or nil."
  (cond
   ((not (eql version (twospeed-document-sync))) "stale")
   ((or buffer-read-only (twospeed-apply--would-ask-p)) "readOnly")))

(defun twospeed-apply--would-ask-p ()
  "Return non-nil if Emacs would ask a question before this change.
It asks before the first change of a file.  A question would interrupt
the user, who may be typing elsewhere, so a message is shown instead."
  (when-let ((problem
              (and buffer-file-name
                   (not (buffer-modified-p))
                   (cond ((not (verify-visited-file-modtime))
                          "the file has changed on disk; use M-x revert-buffer")
                         ((stringp (file-locked-p buffer-file-name))
                          (format "%s has locked the file"
                                  (file-locked-p buffer-file-name)))))))
    (message "twospeed: cannot edit %s: %s" (buffer-name) problem)
    t))

;;; Replacing text

(defun twospeed-apply--trim (start end text)
  "Return START, END and TEXT without the parts that are equal in both.
The common end is removed before the common start.  So a line inserted
above an equal line stays one whole line."
  (let* ((old (buffer-substring-no-properties start end))
         (both (min (length old) (length text)))
         (back 0)
         (front 0))
    (while (and (< back both)
                (eq (aref old (- (length old) back 1)) (aref text (- (length text) back 1))))
      (cl-incf back))
    (while (and (< front (- both back))
                (eq (aref old front) (aref text front)))
      (cl-incf front))
    (list (+ start front) (- end back) (substring text front (- (length text) back)))))

(defun twospeed-apply--spots ()
  "List point, mark and the points of windows, each with its setter."
  (append
   (list (cons (point) #'goto-char))
   (when (mark t)
     (list (cons (mark t) (lambda (place) (set-marker (mark-marker) place)))))
   (mapcar (lambda (window)
             (cons (window-point window)
                   (lambda (place) (set-window-point window place))))
           (get-buffer-window-list nil t t))))

(defun twospeed-apply--matching-offset (offset old new)
  "Return the offset in the string NEW that corresponds to OFFSET in OLD.
It has the same line and column, as far as NEW has them."
  (let* ((before (split-string (substring old 0 offset) "\n"))
         (lines (split-string new "\n"))
         (above (min (1- (length before)) (1- (length lines)))))
    (+ (apply #'+ above (mapcar #'length (seq-take lines above)))
       (min (length (car (last before))) (length (nth above lines))))))

(defun twospeed-apply--replace (start end text)
  "Replace START to END with TEXT; return its start and end."
  (let* ((old (buffer-substring-no-properties start end))
         (spots (cl-remove-if-not (lambda (spot) (< start (car spot) end))
                                  (twospeed-apply--spots))))
    (save-excursion
      (goto-char start)
      (insert text) ; before the deletion, so that a marker at END stays after TEXT
      (delete-region (point) (+ (point) (- end start))))
    (pcase-dolist (`(,place . ,set) spots)
      (funcall set (+ start (twospeed-apply--matching-offset (- place start) old text))))
    (cons start (+ start (length text)))))

(defun twospeed-apply--insert (start text)
  "Insert TEXT at START; return its start and end."
  (let ((length (length text)))
    (save-excursion
      (cond
       ((not (and (string-suffix-p "\n" text)
                  (or (= start (point-min)) (eq (char-before start) ?\n))))
        (goto-char start)
        (insert text))
       ((= start (point-min))
        (let ((tops (cl-remove-if-not (lambda (window) (= (window-start window) start))
                                      (get-buffer-window-list nil t t))))
          (goto-char start)
          (insert-before-markers text)
          (dolist (window tops)
            (set-window-start window start t))))
       (t
        (goto-char (1- start))
        (insert "\n" (substring text 0 -1)))))
    (cons start (+ start length))))

(defun twospeed-apply--insert-outside-region (start text)
  "Insert TEXT at START, outside of the active region if it ends there."
  (if (not (and (region-active-p) (= (region-end) start) (< (region-beginning) start)))
      (twospeed-apply--insert start text)
    (let ((is-mark (= (mark) start)))
      (prog1 (twospeed-apply--insert start text)
        (if is-mark
            (set-marker (mark-marker) start)
          (goto-char start))))))

(defun twospeed-apply--edit (id start end text)
  "Replace START to END with TEXT, a part of edit ID."
  (pcase-let* ((`(,start ,end ,text) (twospeed-apply--trim start end text))
               (`(,from . ,to) (if (= start end)
                                   (twospeed-apply--insert-outside-region start text)
                                 (twospeed-apply--replace start end text))))
    (run-hook-with-args 'twospeed-apply-functions id from to)))

;;; Undo steps

(defun twospeed-apply--joins-p (params)
  "Return non-nil if the edits of PARAMS can join the last undo step."
  (pcase twospeed-apply--step
    (`(,id ,version ,_)
     (and (not (eq (plist-get params :undoStopBefore) t))
          (equal id (plist-get params :editId))
          (eql version (twospeed-document-sync))))))

(defun twospeed-apply--in-step (params change)
  "Call CHANGE, which applies the edits of PARAMS, in the right undo step."
  (undo-boundary)
  (let ((group (if (twospeed-apply--joins-p params)
                   (nth 2 twospeed-apply--step)
                 (prepare-change-group))))
    (setq twospeed-apply--step nil)
    (atomic-change-group (funcall change))
    (unless (eq buffer-undo-list t)
      (undo-amalgamate-change-group group))
    (undo-boundary)
    (unless (eq (plist-get params :undoStopAfter) t)
      (setq twospeed-apply--step
            (list (plist-get params :editId) (twospeed-document-sync) group)))))

;;; The request

(defun twospeed-apply--read (edits)
  "Convert LSP text EDITS to lists of a start, an end and a text, last one first.
Signal an error if a range is outside of the buffer."
  (let ((all (mapcar (lambda (edit)
                       (when-let ((places (twospeed-text-places (plist-get edit :range))))
                         (list (car places) (cdr places) (plist-get edit :newText))))
                     edits)))
    (if (memq nil all)
        (error "The range of an edit is outside of the buffer")
      (nreverse all))))

(defun twospeed-apply--change (params)
  "Apply the edits of PARAMS to the current buffer."
  (save-restriction
    (widen)
    (let ((edits (twospeed-apply--read (plist-get params :edits)))
          deactivate-mark)
      (twospeed-apply--in-step
       params
       (lambda ()
         (dolist (edit edits)
           (apply #'twospeed-apply--edit (plist-get params :editId) edit)))))))

(defun twospeed-apply-answer (server params)
  "Handle `twospeed/applyEdit' of SERVER with PARAMS."
  (let* ((document (plist-get params :textDocument))
         (buffer (twospeed-server-buffer server (plist-get document :uri))))
    (if (not buffer)
        '(:applied :json-false :reason "closed")
      (with-current-buffer buffer
        (let* ((reason (twospeed-apply--rejection (plist-get document :version)))
               (applied (and (not reason)
                             (condition-case problem
                                 (progn (twospeed-apply--change params) t)
                               (error
                                (message "twospeed: %s" (error-message-string problem))
                                nil)))))
          (append (list :applied (if applied t :json-false)
                        :version (twospeed-document-sync))
                  (and reason (list :reason reason))))))))

(defconst twospeed-apply--limit 8
  "Seconds until the answer must be sent; the server waits ten.")

(defun twospeed-apply-workspace-edit (server edit)
  "Apply EDIT, a WorkspaceEdit of SERVER, as one undo step in each document.
Return non-nil if all its changes are applied."
  (seq-every-p (lambda (change)
                 (eq t (plist-get (twospeed-apply-answer
                                   server
                                   (append change '(:undoStopBefore t :undoStopAfter t)))
                                  :applied)))
               (plist-get edit :documentChanges)))

(defun twospeed-apply-when-safe (server params &optional apply)
  "Handle `twospeed/applyEdit' of SERVER with PARAMS as soon as it is safe.
A command that reads keys while it runs, as `query-replace' does, holds
positions as numbers.  No text may move until it ends.
APPLY handles the request in place of `twospeed-apply-answer'."
  (let* ((uri (plist-get (plist-get params :textDocument) :uri))
         (buffer (twospeed-server-buffer server uri))
         (apply (or apply #'twospeed-apply-answer)))
    (if (not (twospeed-apply--in-command-p buffer))
        (funcall apply server params)
      (lambda (answer)
        (twospeed-apply--wait
         buffer (+ (float-time) twospeed-apply--limit)
         (lambda (is-late)
           (funcall answer (if is-late
                               '(:applied :json-false)
                             (funcall apply server params)))))))))

(defun twospeed-apply--workspace-when-safe (server params)
  "Handle `workspace/applyEdit' of SERVER with PARAMS as soon as it is safe."
  (let ((edit (plist-get params :edit)))
    (twospeed-apply-when-safe
     server (seq-first (plist-get edit :documentChanges))
     (lambda (server _)
       (list :applied (if (twospeed-apply-workspace-edit server edit) t :json-false))))))

(defun twospeed-apply--in-command-p (buffer)
  "Return non-nil if a command is running in the window that shows BUFFER."
  (and this-command (eq buffer (window-buffer))))

(defun twospeed-apply--wait (buffer deadline function)
  "Call FUNCTION when no command is running in BUFFER, with t after DEADLINE."
  (let ((is-late (> (float-time) deadline)))
    (if (and (twospeed-apply--in-command-p buffer) (not is-late))
        (run-at-time 0.05 nil #'twospeed-apply--wait buffer deadline function)
      (funcall function (twospeed-apply--in-command-p buffer)))))

(twospeed-server-on 'twospeed/applyEdit #'twospeed-apply-when-safe)
(twospeed-server-on 'workspace/applyEdit #'twospeed-apply--workspace-when-safe)

(provide 'twospeed-apply)
;;; twospeed-apply.el ends here
