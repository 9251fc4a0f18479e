;;; twospeed-tests.el --- Tests of positions, changes and edits  -*- lexical-binding: t; -*-

;;; Commentary:

;; Compares the package with an independent model: a document is a list of
;; UTF-16 code units, with the line ends of LSP.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'twospeed)

;;; The model

(defun tests-units (text)
  "Return the UTF-16 code units of TEXT as a list."
  (let ((bytes (append (encode-coding-string text 'utf-16be) nil)) units)
    (while bytes
      (push (+ (* 256 (pop bytes)) (pop bytes)) units))
    (nreverse units)))

(defun tests-text (units)
  "Return the text of UNITS."
  (decode-coding-string
   (apply #'unibyte-string (mapcan (lambda (unit) (list (/ unit 256) (% unit 256)))
                                   (copy-sequence units)))
   'utf-16be))

(defun tests-offset (units position)
  "Return the number of UNITS before an LSP POSITION, nil if it is invalid."
  (let ((line 0) (offset 0) (left units))
    (while (and left (< line (plist-get position :line)))
      (let ((unit (pop left)))
        (cl-incf offset)
        (when (or (= unit ?\n) (and (= unit ?\r) (not (eql (car left) ?\n))))
          (cl-incf line))))
    (when (= line (plist-get position :line))
      (let ((character (plist-get position :character)))
        (and (cl-every (lambda (unit) (not (memq unit '(?\r ?\n)))) (seq-take left character))
             (<= character (length left))
             (+ offset character))))))

(defun tests-changed (text change)
  "Return TEXT after an LSP content CHANGE."
  (if-let ((range (plist-get change :range)))
      (let ((units (tests-units text)))
        (tests-text (append (seq-take units (tests-offset units (plist-get range :start)))
                            (tests-units (plist-get change :text))
                            (seq-drop units (tests-offset units (plist-get range :end))))))
    (plist-get change :text)))

;;; A buffer and the text that the server knows

(defvar tests-server-text nil "The text that the server knows.")
(defvar tests-version nil "The version that the server knows.")

(defun tests-handle (method params)
  "Handle METHOD with PARAMS as a server does."
  (pcase method
    ('textDocument/didOpen
     (setq tests-server-text (plist-get (plist-get params :textDocument) :text)
           tests-version (plist-get (plist-get params :textDocument) :version)))
    ('textDocument/didChange
     (setq tests-version (plist-get (plist-get params :textDocument) :version))
     (seq-do (lambda (change) (setq tests-server-text (tests-changed tests-server-text change)))
             (plist-get params :contentChanges)))
    ('textDocument/didClose (setq tests-server-text nil tests-version nil))))

(defmacro tests-with (text &rest body)
  "Run BODY in an open document with TEXT, with point at its start."
  (declare (indent 1))
  `(let* ((file (make-temp-file "tests-" nil ".txt"))
          (buffer (find-file-noselect file)))
     (unwind-protect
         (save-window-excursion
           (switch-to-buffer buffer)
           (buffer-enable-undo)
           (insert ,text)
           (goto-char (point-min))
           (let ((create-lockfiles nil)) (write-region nil nil file nil 'quiet))
           (set-visited-file-modtime)
           (set-buffer-modified-p nil)
           (setq buffer-undo-list nil)
           (twospeed-document-open #'tests-handle)
           (cl-letf (((symbol-function 'twospeed-server-buffer)
                      (lambda (_server uri) (and (equal uri twospeed-document-uri) buffer))))
             ,@body))
       (with-current-buffer buffer
         (set-buffer-modified-p nil)
         (let (kill-buffer-query-functions) (kill-buffer buffer)))
       (delete-file file))))

(defun tests-buffer-text ()
  "Return the complete text of the buffer."
  (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))

(defun tests-apply (edits &rest keys)
  "Apply EDITS, each a start, an end and a text; positions are conses.
KEYS are more fields of the applyEdit request.  Return the response."
  (twospeed-apply-answer
   nil
   (append keys
           (list :editId "e1" :seq 1 :undoStopBefore t :undoStopAfter t
                 :textDocument (list :uri twospeed-document-uri
                                     :version (twospeed-document-sync))
                 :edits
                 (vconcat
                  (mapcar (pcase-lambda (`((,line . ,character) (,to . ,end) ,text))
                            (list :range (list :start (list :line line :character character)
                                               :end (list :line to :character end))
                                  :newText text))
                          edits))))))

(defun tests-undo ()
  "Undo one step, as a separate command."
  (undo-boundary)
  (setq last-command 'ignore)
  (let ((inhibit-message t)) (undo))
  (undo-boundary))

;;; Random values

(defun tests-random-text (most &optional returns)
  "Return a random text of up to MOST characters; RETURNS adds carriage returns."
  (let ((characters (append "ab  \n\n\t_é漢🙂👍\n" (and returns "\r\r") nil)))
    (concat (cl-loop repeat (random (1+ most))
                     collect (nth (random (length characters)) characters)))))

(defmacro tests-repeatedly (count &rest body)
  "Run BODY COUNT times, each with a fixed random seed."
  (declare (indent 1))
  `(dotimes (run ,count)
     (random (format "twospeed %d" run))
     (ert-info ((format "run %d" run))
       ,@body)))

;;; Positions

(ert-deftest tests-buffer-position-and-lsp-position-round-trip ()
  (tests-repeatedly 200
    (let ((text (tests-random-text 30 (cl-oddp run))))
      (with-temp-buffer
        (insert text)
        (cl-loop
         for place from (point-min) to (point-max)
         unless (and (eq (char-before place) ?\r) (eq (char-after place) ?\n))
         do (let ((position (twospeed-text-position place))
                  (before (length (tests-units (buffer-substring (point-min) place)))))
              (should (equal (tests-offset (tests-units text) position) before))
              (should (equal (twospeed-text-place position) place))))))))

(ert-deftest tests-invalid-lsp-position-has-no-buffer-position ()
  (with-temp-buffer
    (insert "a\n🙂b\n")
    (dolist (position '((0 2) (1 1) (1 4) (2 1) (3 0)))
      (should-not (twospeed-text-place (list :line (car position)
                                             :character (cadr position)))))))

(ert-deftest tests-narrowing-does-not-change-lsp-positions ()
  (with-temp-buffer
    (insert "a\nb\nc\n")
    (narrow-to-region 3 5)
    (should (equal (twospeed-text-position 3) '(:line 1 :character 0)))
    (should (equal (twospeed-text-place '(:line 2 :character 1)) 6))))

;;; Changes

(defun tests-change-randomly ()
  "Change the buffer randomly, as commands and other packages do."
  (let* ((start (+ (point-min) (random (1+ (buffer-size)))))
         (end (min (point-max) (+ start (random 6)))))
    (pcase (random 14)
      (0 (delete-region start end))
      (1 (upcase-region start end))
      (2 (capitalize-region start end))
      (3 (subst-char-in-region start end ?a ?Z))
      (4 (let ((inhibit-modification-hooks t)) (goto-char start) (insert "unheard")))
      (5 (put-text-property start end 'face 'bold))
      (6 (translate-region start end "0123456789"))
      (7 (goto-char start) (ignore-errors (transpose-chars 1)))
      (8 (goto-char start) (ignore-errors (transpose-lines 1)))
      (9 (save-restriction (narrow-to-region start end) (goto-char (point-min))
                           (insert (tests-random-text 3))))
      (10 (let ((other (generate-new-buffer " other")))
            (with-current-buffer other (insert (tests-random-text 20)))
            (replace-buffer-contents other)
            (kill-buffer other)))
      (11 (condition-case nil (tests-undo) (user-error nil)))
      (12 (combine-change-calls start end (goto-char start) (insert "x") (insert "🙂")))
      (_ (goto-char start) (insert (tests-random-text 5 (zerop (random 10))))))))

(ert-deftest tests-server-text-equals-the-buffer-after-any-change ()
  (tests-repeatedly 60
    (tests-with (tests-random-text 40)
      (dotimes (_ 15)
        (dotimes (_ (random 3)) (tests-change-randomly))
        (should (equal (twospeed-document-sync) tests-version))
        (should (equal tests-server-text (tests-buffer-text)))))))

(ert-deftest tests-change-notification-has-the-smallest-range ()
  (tests-with "one\ntwo 🙂\nthree\n"
    (let (changes)
      (cl-letf (((symbol-function 'tests-handle)
                 (lambda (_ params) (setq changes (append (plist-get params :contentChanges) nil)))))
        (setq twospeed-document--send #'tests-handle)
        (goto-char 10)
        (insert "x")
        (twospeed-document-sync)
        (should (equal changes '((:range (:start (:line 1 :character 6)
                                          :end (:line 1 :character 6))
                                  :text "x"))))))))

(ert-deftest tests-text-properties-send-no-change ()
  (tests-with "one\n"
    (let ((version tests-version))
      (put-text-property 1 3 'face 'bold)
      (should (equal (twospeed-document-sync) version)))))

(ert-deftest tests-buffer-with-invalid-characters-is-closed ()
  (tests-with "one\n"
    (insert (string-to-multibyte "\200"))
    (should-not (twospeed-document-sync))
    (should-not tests-server-text)))

(ert-deftest tests-range-of-an-earlier-version-is-mapped ()
  (tests-repeatedly 60
    (tests-with (concat (tests-random-text 20) "\nHERE 🙂\n" (tests-random-text 20))
      (goto-char (point-min))
      (search-forward "HERE 🙂")
      (let ((range (twospeed-text-range (- (point) 6) (point)))
            (version (twospeed-document-sync)))
        (dotimes (_ 5)
          (goto-char (point-min))
          (search-forward "HERE 🙂")
          (if (zerop (random 2))
              (goto-char (+ (point) (random (1+ (- (point-max) (point))))))
            (goto-char (1+ (random (- (point) 6)))))
          (unless (= (point) (save-excursion (goto-char (point-min)) (search-forward "HERE 🙂")))
            (insert (tests-random-text 5)))
          (twospeed-document-sync))
        (pcase-let ((`(,start . ,end) (twospeed-document-places range version)))
          (should (equal (buffer-substring-no-properties start end) "HERE 🙂")))))))

;;; Edits

(defun tests-random-edits (text)
  "Return random edits of TEXT for `tests-apply', and the resulting text."
  (with-temp-buffer
    (insert text)
    (let ((places (sort (cl-loop repeat (* 2 (1+ (random 3)))
                                 collect (1+ (random (1+ (length text)))))
                        #'<))
          edits)
      (while places
        (let* ((start (pop places)) (end (pop places)))
          (when (zerop (random 2))
            (setq start (save-excursion (goto-char start) (line-beginning-position))))
          (when (and edits (< start (nth 2 (car edits))))
            (setq start (nth 2 (car edits))))
          (push (list (twospeed-text-position start) start (max start end)
                      (twospeed-text-position (max start end))
                      (concat (tests-random-text 4) (if (zerop (random 2)) "\n" "")))
                edits)))
      (cl-flet ((pair (position) (cons (plist-get position :line)
                                       (plist-get position :character))))
        (let ((lsp-edits (mapcar (pcase-lambda (`(,from ,_ ,_ ,to ,new))
                                   (list (pair from) (pair to) new))
                                 (reverse edits))))
          (pcase-dolist (`(,_ ,start ,end ,_ ,new) edits)
            (goto-char start)
            (delete-region start end)
            (insert new))
          (list lsp-edits (buffer-string)))))))

(ert-deftest tests-edits-are-exact-and-one-undo-reverts-them ()
  (tests-repeatedly 150
    (let ((text (tests-random-text 40)))
      (pcase-let ((`(,edits ,result) (tests-random-edits text)))
        (tests-with text
          (let ((answer (tests-apply edits)))
            (should (eq (plist-get answer :applied) t))
            (should (equal (tests-buffer-text) result))
            (should (equal tests-server-text result))
            (should (equal (plist-get answer :version) tests-version))
            (unless (equal text result)
              (tests-undo)
              (should (equal (tests-buffer-text) text)))))))))

(ert-deftest tests-edits-apply-to-mixed-line-ends ()
  (tests-with "a\r\nb\n"
    (tests-apply '(((1 . 0) (1 . 0) "x\r\n") ((2 . 0) (2 . 0) "c\n")))
    (should (equal (tests-buffer-text) "a\r\nx\r\nb\nc\n"))
    (should (equal tests-server-text (tests-buffer-text)))))

(ert-deftest tests-edits-apply-outside-of-a-narrowing ()
  (tests-with "a\nb\nc\n"
    (narrow-to-region 3 4)
    (tests-apply '(((2 . 0) (2 . 1) "z")))
    (should (equal (buffer-string) "b"))
    (should (equal (tests-buffer-text) "a\nb\nz\n"))))

(ert-deftest tests-refused-request-changes-nothing ()
  (tests-with "a\nb\n"
    (let ((line '(((1 . 0) (1 . 0) "n\n")))
          (other (list :uri "file:///other" :version 1)))
      (cl-flet ((refused (reason &rest arguments)
                  (let ((answer (apply #'tests-apply arguments)))
                    (should (eq (plist-get answer :applied) :json-false))
                    (should (equal (plist-get answer :reason) reason))
                    (should (equal (tests-buffer-text) "a\nb\n")))))
        (refused "stale" line :textDocument (list :uri twospeed-document-uri :version 0))
        (refused "closed" line :textDocument other)
        (refused nil '(((0 . 0) (0 . 0) "n") ((0 . 9) (0 . 9) "n")))
        (refused nil '(((0 . 0) (0 . 0) "n") ((9 . 0) (9 . 0) "n")))
        (setq buffer-read-only t)
        (refused "readOnly" line)
        (setq buffer-read-only nil)
        (with-silent-modifications (put-text-property 1 2 'read-only t))
        (refused nil '(((0 . 0) (0 . 1) "n") ((1 . 0) (1 . 0) "n\n")))
        (with-silent-modifications (remove-text-properties 1 2 '(read-only nil)))
        (should (eq (plist-get (tests-apply line) :applied) t))))))

(ert-deftest tests-unsent-typing-makes-a-request-stale ()
  (tests-with "a\nb\n"
    (let ((version (twospeed-document-sync)))
      (goto-char (point-max))
      (insert "c")
      (let ((answer (tests-apply '(((1 . 0) (1 . 0) "n\n"))
                                 :textDocument (list :uri twospeed-document-uri
                                                     :version version))))
        (should (equal (plist-get answer :reason) "stale"))
        (should (equal tests-server-text "a\nb\nc"))
        (should (equal (plist-get answer :version) tests-version))))))

(ert-deftest tests-changed-file-on-disk-is-refused-without-a-question ()
  (tests-with "a\n"
    (write-region "new\n" nil buffer-file-name nil 'quiet)
    (set-visited-file-modtime '(1 1))
    (cl-letf (((symbol-function 'ask-user-about-supersession-threat)
               (lambda (_) (ert-fail "Emacs asked the user"))))
      (should (equal (plist-get (tests-apply '(((0 . 0) (0 . 0) "n\n"))) :reason) "readOnly"))
      (should (equal (tests-buffer-text) "a\n")))))

;;; Point, markers, overlays and windows

(ert-deftest tests-point-marker-and-overlay-move-with-their-line ()
  (tests-with "a\nb\nc\nd\n"
    (let ((marker (copy-marker 3))
          (overlay (make-overlay 3 5)))
      (goto-char 3)
      (tests-apply '(((1 . 0) (1 . 0) "one\n")))
      (should (equal (tests-buffer-text) "a\none\nb\nc\nd\n"))
      (should (equal (list (point) (marker-position marker)) '(7 7)))
      (should (equal (buffer-substring (overlay-start overlay) (overlay-end overlay)) "b\n")))))

(ert-deftest tests-point-at-the-top-moves-with-its-line ()
  (tests-with "a\nb\n"
    (tests-apply '(((0 . 0) (0 . 0) "one\n")))
    (should (equal (point) 5))
    (should (equal (window-start) 1))))

(ert-deftest tests-region-keeps-its-text ()
  (tests-with "a\nb\nc\nd\n"
    (transient-mark-mode 1)
    (dolist (ends '((3 . 7) (7 . 3)))
      (set-mark (car ends))
      (goto-char (cdr ends))
      (activate-mark)
      (tests-apply '(((1 . 0) (1 . 0) "one\n") ((3 . 0) (3 . 0) "two\n")))
      (should (region-active-p))
      (should (equal (buffer-substring (region-beginning) (region-end)) "b\nc\n"))
      (deactivate-mark)
      (tests-undo))))

(ert-deftest tests-point-in-a-replaced-line-keeps-its-column ()
  (tests-with "a\nfoo(bar, baz)\nc\n"
    (goto-char 8)
    (tests-apply '(((1 . 0) (1 . 13) "quux(1, 2, 3)")))
    (should (equal (twospeed-text-position) '(:line 1 :character 5)))
    (goto-char (line-end-position))
    (tests-apply '(((1 . 0) (1 . 13) "x = y")))
    (should (equal (twospeed-text-position) '(:line 1 :character 5)))))

(ert-deftest tests-unselected-window-keeps-its-point ()
  (tests-with "a\nb\nc\nd\n"
    (let ((other (split-window)))
      (set-window-point other 5)
      (goto-char 3)
      (tests-apply '(((1 . 0) (1 . 1) "bbb") ((2 . 0) (2 . 0) "one\n")))
      (should (equal (tests-buffer-text) "a\nbbb\none\nc\nd\n"))
      (should (equal (window-point other) 11))
      (should (equal (point) 3)))))

;;; Undo steps

(ert-deftest tests-each-edit-of-several-requests-is-one-undo-step ()
  (tests-with "a\n"
    (tests-apply '(((0 . 0) (0 . 0) "one\n")) :undoStopAfter :json-false)
    (tests-apply '(((1 . 0) (1 . 0) "two\n")) :undoStopBefore :json-false :undoStopAfter :json-false)
    (tests-apply '(((2 . 0) (2 . 0) "three\n")) :undoStopBefore :json-false
                 :undoStopAfter :json-false) ; without a last request, as after a crash of the server
    (tests-apply '(((0 . 0) (0 . 0) "four\n")) :editId "e2")
    (tests-undo)
    (should (equal (tests-buffer-text) "one\ntwo\nthree\na\n"))
    (setq last-command 'undo)
    (undo-more 1)
    (should (equal (tests-buffer-text) "a\n"))
    (should-not (buffer-modified-p))))

(ert-deftest tests-empty-last-request-closes-the-undo-step ()
  (tests-with "a\n"
    (tests-apply '(((0 . 0) (0 . 0) "one\n")) :undoStopAfter :json-false)
    (tests-apply nil :undoStopBefore :json-false)
    (tests-apply '(((0 . 0) (0 . 0) "two\n")) :undoStopBefore :json-false)
    (tests-undo)
    (should (equal (tests-buffer-text) "one\na\n"))))

(ert-deftest tests-typing-and-an-edit-are-separate-undo-steps ()
  (tests-with "a\nb\n"
    (goto-char (point-max))
    (insert "typed")
    (tests-apply '(((0 . 0) (0 . 0) "one\n")) :undoStopAfter :json-false)
    (goto-char (point-max))
    (insert " on")
    (tests-apply '(((1 . 0) (1 . 0) "two\n")) :undoStopBefore :json-false)
    (insert " still")
    (let (seen)
      (tests-undo)
      (push (tests-buffer-text) seen)
      (dotimes (_ 4)
        (undo-more 1)
        (push (tests-buffer-text) seen))
      (should (equal (nreverse seen)
                     '("one\ntwo\na\nb\ntyped on"
                       "one\na\nb\ntyped on"
                       "one\na\nb\ntyped"
                       "a\nb\ntyped"
                       "a\nb\n"))))))

(ert-deftest tests-edit-applies-to-a-buffer-without-undo ()
  (tests-with "a\n"
    (buffer-disable-undo)
    (tests-apply '(((0 . 0) (0 . 0) "one\n")))
    (should (equal (tests-buffer-text) "one\na\n"))
    (should (eq buffer-undo-list t))))

(ert-deftest tests-finding-has-its-lines-in-a-narrowed-buffer ()
  (tests-with "one\ntwo\nthree\n"
    (let (reported)
      (setq twospeed-findings--report (lambda (found &rest more) (setq reported (cons more found))))
      (narrow-to-region 1 3)
      (twospeed-findings-set
       '((:range (:start (:line 1 :character 0) :end (:line 2 :character 0)) :message "why two"))
       (twospeed-document-sync))
      (should (equal (plist-get (car reported) :region) '(1 . 15)))
      (should (equal (mapcar (lambda (found)
                               (cons (flymake-diagnostic-beg found) (flymake-diagnostic-end found)))
                             (cdr reported))
                     '((5 . 9)))))))

;;; Finding the server

(defmacro tests-with-programs (names &rest body)
  "Run BODY with only the programs of NAMES on the path."
  (declare (indent 1))
  `(let* ((folder (make-temp-file "tests-" t))
          (process-environment (cons (concat "HOME=" folder) process-environment))
          (exec-path (list folder))
          twospeed-command)
     (unwind-protect
         (progn
           (dolist (name ,names)
             (let ((file (expand-file-name name folder)))
               (make-directory (file-name-directory file) t)
               (write-region "" nil file nil 'quiet)
               (set-file-modes file #o755)))
           ,@body)
       (delete-directory folder t))))

(ert-deftest tests-server-is-found-on-path-and-in-home ()
  (tests-with-programs '("twospeed")
    (should (equal (twospeed-program-command) (list (expand-file-name "twospeed" folder)))))
  (tests-with-programs '(".local/bin/twospeed")
    (should (equal (twospeed-program-command)
                   (list (expand-file-name ".local/bin/twospeed" folder))))))

(ert-deftest tests-missing-server-error-names-the-install-command ()
  (tests-with-programs '("uvx" "pipx")
    (should (string-match-p "install it with .pipx install /path/to/twospeed."
                            (cadr (should-error (twospeed-program-command) :type 'user-error))))))

;;; Diffs

(defun tests-count-common-lines (old new)
  "Return the length of the longest common subsequence of OLD and NEW."
  (cond ((or (null old) (null new)) 0)
        ((equal (car old) (car new)) (1+ (tests-count-common-lines (cdr old) (cdr new))))
        (t (max (tests-count-common-lines (cdr old) new) (tests-count-common-lines old (cdr new))))))

(ert-deftest tests-diff-contains-both-texts-and-the-most-common-lines ()
  (dotimes (_ 200)
    (let* ((text (lambda () (cl-loop repeat (random 7) collect (nth (random 3) '("a" "b" "")))))
           (old (funcall text))
           (new (funcall text))
           (lines (twospeed-answer--compare (vconcat old) (vconcat new)))
           (without (lambda (mark)
                      (mapcar (lambda (line) (substring line 1))
                              (seq-remove (lambda (line) (= (aref line 0) mark)) lines)))))
      (should (equal (funcall without ?+) old))
      (should (equal (funcall without ?-) new))
      (should (= (cl-count ?\s lines :key (lambda (line) (aref line 0)))
                 (tests-count-common-lines old new))))))

(ert-deftest tests-diff-of-many-lines-is-one-replaced-block ()
  (let* ((twospeed-answer--most-pairs 3)
         (lines (twospeed-answer--compare ["same" "a" "b" "end"] ["same" "b" "c" "end"])))
    (should (equal lines '(" same" "-a" "-b" "+b" "+c" " end")))))

(provide 'twospeed-tests)
;;; twospeed-tests.el ends here
