; Up*/down* on any graph whose switches are totally ordered.
;
; The fabric: any cabling. The order: every switch has a place of its own (root first; ties of the distance to the root are
; broken, by GUID say), and the hosts come after all switches, so that a packet enters upwards and leaves downwards.
; The forwarding: no packet goes up after it has gone down. Up is towards the root: to the earlier place.
;
; Modelled: one packet that has come over x -> y and goes on over y -> z. One lane.
; The rank of the buffer at the end of a link: links up come first, by falling place; then links down, by growing place.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun place (Node) Int)
(define-fun up ((s Node) (n Node)) Bool (> (place s) (place n)))
(define-fun down ((s Node) (n Node)) Bool (< (place s) (place n)))
(define-fun hop ((s Node) (n Node)) Bool (and
    (distinct (place s) (place n)) ; a cable joins two nodes, and no two have one place: the order is total
  ))
(define-fun turn ((x Node) (y Node) (z Node)) Bool (and
    (hop x y)
    (hop y z)
    (=> (down x y) (down y z)) ; down once, down for good
  ))
; == The rank
(define-fun rank-phase ((s Node) (n Node)) Int (ite (up s n) 0 1))
(define-fun rank-place ((s Node) (n Node)) Int (ite (up s n) (- (place n)) (place n)))
(define-fun higher ((x Node) (y Node) (z Node)) Bool (or
    (> (rank-phase y z) (rank-phase x y))
    (and (= (rank-phase y z) (rank-phase x y)) (> (rank-place y z) (rank-place x y)))))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(assert (turn x y z))
(assert (not (higher x y z)))
(check-sat)
