; A lane step on the global hop of a dragonfly of any size, minimal routing: two lanes.
;
; The fabric: switches in groups, a host in the group of its switch; (gateway s m) says that s has a cable to group m. Within
; a group every two switches are cabled. Hosts do not forward.
; The forwarding, for a packet whose destination hangs off switch t: in the group of t, straight to t. Elsewhere, a switch with
; a cable to that group uses one, any other hands the packet to a switch of its own group that has one. The packet starts in
; lane 0; the hop between groups steps its lane, every other hop leaves it alone.
;
; Modelled: one packet for t that has come over x -> y in lane1 and goes on over y -> z in lane2.
; The invariant of the proof: a packet is in lane 0, or in lane 1 and in the group of its destination. It is shown to hold when
; the packet leaves its host, and to last: so two lanes are enough.
; The rank of the buffer at the end of a link: from hosts, between switches, to hosts; the lane; links between groups first.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun host (Node) Bool)
(declare-fun group (Node) Int)
(declare-fun gateway (Node Int) Bool)
(define-fun global ((s Node) (n Node)) Bool (distinct (group s) (group n)))
(define-fun hop ((s Node) (n Node) (t Node)) Bool (and
    (distinct s t) ; the switch of the destination delivers
    (=> (= (group s) (group t)) (= n t)) ; in its group: straight to it
    (=> (and (global s t) (gateway s (group t))) (= (group n) (group t))) ; from a gateway: over its cable
    (=> (and (global s t) (not (gateway s (group t)))) (gateway n (group t))) ; elsewhere: to a gateway
    (=> (and (global s t) (not (gateway s (group t)))) (= (group n) (group s))) ; of the own group
  ))
(define-fun turn ((x Node) (y Node) (z Node) (t Node) (lane1 Int) (lane2 Int)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y t))
    (=> (not (host z)) (hop y z t))
    (=> (host x) (= lane1 0)) ; hosts send in lane 0
    (=> (host z) (= (group z) (group y))) ; a host is in the group of its switch
    (=> (global y z) (= lane2 (+ lane1 1))) ; the hop between groups steps the lane
    (=> (not (global y z)) (= lane2 lane1)) ; elsewhere the lane stays
  ))
; == The rank
(define-fun rank-stage ((s Node) (n Node)) Int (ite (host s) 0 (ite (host n) 2 1)))
(define-fun rank-lane ((lane Int)) Int lane)
(define-fun rank-local ((s Node) (n Node)) Int (ite (global s n) 0 1))
(define-fun higher ((x Node) (y Node) (z Node) (lane1 Int) (lane2 Int)) Bool (or
    (> (rank-stage y z) (rank-stage x y))
    (and (= (rank-stage y z) (rank-stage x y)) (or
      (> (rank-lane lane2) (rank-lane lane1))
      (and (= (rank-lane lane2) (rank-lane lane1)) (> (rank-local y z) (rank-local x y)))))))
(define-fun invariant ((n Node) (t Node) (lane Int)) Bool (or
    (= lane 0)
    (and (= lane 1) (= (group n) (group t)))))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it, and no lane but 0 and 1 is used.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(declare-const t Node)
(declare-const lane1 Int)
(declare-const lane2 Int)
(assert (turn x y z t lane1 lane2))
(assert (not (and
    (=> (host x) (invariant y t lane1))
    (=> (invariant y t lane1) (and
      (invariant z t lane2)
      (<= 0 lane2 1)
      (higher x y z lane1 lane2))))))
(check-sat)
