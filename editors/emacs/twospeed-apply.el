;;; twospeed-apply.el --- Put edits into a buffer while it is used  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Answers `twospeed/applyEdit': all of it at exactly the version it was made
;; for, or nothing.
;;
;; What points into the text stays with its text.  Lines are put in behind the
;; line end above them, so that whatever points to the line below, of which
;; Emacs tells nobody all, moves with it.
;;
;; An edit is one undo step as long as nothing else changes the buffer
;; meanwhile; no step holds typing and an edit.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'twospeed-document)
(require 'twospeed-server)

(defvar twospeed-apply-functions nil
  "Called in the buffer with an edit's id and where a part of it now stands.")

(defvar-local twospeed-apply--step nil
  "The undo step that more may join: an edit's id, a version, a change group.")

;;; Whether it may be

(defun twospeed-apply--obstacle (version)
  "Say why the buffer takes no edit made for VERSION, in the protocol's words."
  (cond
   ((not (eql version (twospeed-document-sync))) "stale")
   ((or buffer-read-only (twospeed-apply--would-ask-p)) "readOnly")))

(defun twospeed-apply--would-ask-p ()
  "Tell whether Emacs would ask before this change, and say what it would ask.
It does so ahead of the first change of a file: nobody expects a
question while typing elsewhere."
  (when-let ((problem
              (and buffer-file-name
                   (not (buffer-modified-p))
                   (cond ((not (verify-visited-file-modtime))
                          "the file has changed on disk; M-x revert-buffer reads it")
                         ((stringp (file-locked-p buffer-file-name))
                          (format "%s has locked the file"
                                  (file-locked-p buffer-file-name)))))))
    (message "twospeed: no edit of %s: %s" (buffer-name) problem)
    t))

;;; Replacing text

(defun twospeed-apply--trim (start end text)
  "Give what of START to END really changes when TEXT replaces it, and into what.
What both have at the end is left out before what both have at the start,
so that a line put in above its like is a line of its own."
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
  "List point, mark and windows' points, each with a function that sets it."
  (append
   (list (cons (point) #'goto-char))
   (when (mark t)
     (list (cons (mark t) (lambda (place) (set-marker (mark-marker) place)))))
   (mapcar (lambda (window)
             (cons (window-point window)
                   (lambda (place) (set-window-point window place))))
           (get-buffer-window-list nil t t))))

(defun twospeed-apply--like (offset old new)
  "Give the place in the string NEW that is like OFFSET in OLD.
It is in the line of the same number, in the same column, if there is one."
  (let* ((before (split-string (substring old 0 offset) "\n"))
         (lines (split-string new "\n"))
         (above (min (1- (length before)) (1- (length lines)))))
    (+ (apply #'+ above (mapcar #'length (seq-take lines above)))
       (min (length (car (last before))) (length (nth above lines))))))

(defun twospeed-apply--replace (start end text)
  "Put TEXT in the place of START to END; return where it stands."
  (let* ((old (buffer-substring-no-properties start end))
         (spots (cl-remove-if-not (lambda (spot) (< start (car spot) end))
                                  (twospeed-apply--spots))))
    (save-excursion
      (goto-char start)
      (insert text) ; first, so that a marker at the end stays at the end
      (delete-region (point) (+ (point) (- end start))))
    (pcase-dolist (`(,place . ,set) spots)
      (funcall set (+ start (twospeed-apply--like (- place start) old text))))
    (cons start (+ start (length text)))))

(defun twospeed-apply--insert (start text)
  "Put TEXT in at START; return where it stands."
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
  "Put TEXT in at START, outside of the active region if that ends there."
  (if (not (and (region-active-p) (= (region-end) start) (< (region-beginning) start)))
      (twospeed-apply--insert start text)
    (let ((is-mark (= (mark) start)))
      (prog1 (twospeed-apply--insert start text)
        (if is-mark
            (set-marker (mark-marker) start)
          (goto-char start))))))

(defun twospeed-apply--edit (id start end text)
  "Let TEXT, a part of edit ID, replace START to END."
  (pcase-let* ((`(,start ,end ,text) (twospeed-apply--trim start end text))
               (`(,from . ,to) (if (= start end)
                                   (twospeed-apply--insert-outside-region start text)
                                 (twospeed-apply--replace start end text))))
    (run-hook-with-args 'twospeed-apply-functions id from to)))

;;; Undo steps

(defun twospeed-apply--joins-p (params)
  "Tell whether the edit of PARAMS goes on with the last undo step."
  (pcase twospeed-apply--step
    (`(,id ,version ,_)
     (and (not (eq (plist-get params :undoStopBefore) t))
          (equal id (plist-get params :editId))
          (eql version (twospeed-document-sync))))))

(defun twospeed-apply--in-step (params change)
  "Call CHANGE, which makes the edits of PARAMS, with its place among undo steps."
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

;;; Answering

(defun twospeed-apply--read (edits)
  "Read LSP text EDITS against the buffer; nil if one of them does not fit it.
Each is a start, an end and a text, the last one first."
  (let ((all (mapcar (lambda (edit)
                       (when-let ((places (twospeed-text-places (plist-get edit :range))))
                         (list (car places) (cdr places) (plist-get edit :newText))))
                     edits)))
    (if (memq nil all)
        (error "The edit does not fit the buffer")
      (nreverse all))))

(defun twospeed-apply--change (params)
  "Make the edits of PARAMS in the current buffer."
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
  "Answer the PARAMS of `twospeed/applyEdit' from SERVER."
  (let* ((document (plist-get params :textDocument))
         (buffer (twospeed-server-buffer server (plist-get document :uri))))
    (if (not buffer)
        '(:applied :json-false :reason "closed")
      (with-current-buffer buffer
        (let* ((reason (twospeed-apply--obstacle (plist-get document :version)))
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
  "So many seconds an answer may wait; the server waits ten.")

(defun twospeed-apply-in-time (server params)
  "Answer the PARAMS of `twospeed/applyEdit' from SERVER when it does no harm.
A command that reads keys on its way, as `query-replace' does, has noted
places as numbers: until it is done no text moves."
  (let* ((uri (plist-get (plist-get params :textDocument) :uri))
         (buffer (twospeed-server-buffer server uri)))
    (if (not (twospeed-apply--in-command-p buffer))
        (twospeed-apply-answer server params)
      (lambda (answer)
        (twospeed-apply--wait
         buffer (+ (float-time) twospeed-apply--limit)
         (lambda (is-late)
           (funcall answer (if is-late
                               '(:applied :json-false)
                             (twospeed-apply-answer server params)))))))))

(defun twospeed-apply--in-command-p (buffer)
  "Tell whether a command of the window that shows BUFFER waits for a key."
  (and this-command (eq buffer (window-buffer))))

(defun twospeed-apply--wait (buffer deadline take)
  "Call TAKE as soon as no command is at work in BUFFER, with t after DEADLINE."
  (let ((is-late (> (float-time) deadline)))
    (if (and (twospeed-apply--in-command-p buffer) (not is-late))
        (run-at-time 0.05 nil #'twospeed-apply--wait buffer deadline take)
      (funcall take (twospeed-apply--in-command-p buffer)))))

(twospeed-server-on 'twospeed/applyEdit #'twospeed-apply-in-time)

(provide 'twospeed-apply)
;;; twospeed-apply.el ends here
